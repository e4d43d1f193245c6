import type { FastifyInstance } from "fastify";
import { isOwnMachine } from "../../access/hosts.ts";
import { answerDenial } from "../answer/answer.ts";
import { type Denial, deny } from "../answer/problem.ts";

/** Browsers that came with TLS once come with TLS for a year. */
const onlyTls = "max-age=31536000";

/** Answers requests for names of this server only, and tells browsers where TLS is spoken to use nothing else. */
export function addHostCheck(
  app: FastifyInstance,
  isOurs: (host: string | undefined) => boolean,
  secure: boolean,
): void {
  app.addHook("onRequest", (request, reply, done) => {
    const { host } = request.headers;
    if (!isOurs(host)) return void answerDenial(request, reply, wrongHost(host));
    // Browsers keep this for a name with all its ports: for localhost it would break whatever else runs there.
    if (secure && !isOwnMachine(host)) reply.raw.setHeader("strict-transport-security", onlyTls);
    done();
  });
}

export function wrongHost(host: string | undefined): Denial {
  const name = (host ?? "").slice(0, 100);
  return deny(
    "wrong-host",
    `${JSON.stringify(name)} is not a name of this server.`,
    "Use its address or a name in its certificate, or let the owner start it with --server-name and this name.",
    "host",
    name,
  );
}
