import type { FastifyInstance } from "fastify";
import { isLocalhost } from "../../access/hosts.ts";

/** An answer of the API is data: no browser may take it for a page, keep it, put it into a frame or tell others of its address. */
const ofData: Readonly<Record<string, string>> = {
  "content-security-policy": "default-src 'none'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
};

const yearOfTls = "max-age=31536000; includeSubDomains";

/** Gives every answer the headers of data, which an answer that is something else replaces by its own. */
export function addHeaders(app: FastifyInstance, secure: boolean): void {
  app.addHook("onRequest", ({ headers }, reply, done) => {
    // On the raw answer, so that streams have them too.
    for (const [name, value] of Object.entries(ofData)) reply.raw.setHeader(name, value);
    // Browsers keep this for a name with all its ports: for localhost it would break whatever else runs there.
    if (secure && !isLocalhost(headers.host)) reply.raw.setHeader("strict-transport-security", yearOfTls);
    done();
  });
}
