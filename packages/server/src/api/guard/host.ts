import type { FastifyInstance } from "fastify";
import { answerDenial } from "../answer/answer.ts";
import { type Denial, deny } from "../answer/problem.ts";

/** Answers requests for names of this server only. */
export function addHostCheck(app: FastifyInstance, isOurs: (host: string | undefined) => boolean): void {
  app.addHook("onRequest", (request, reply, done) => {
    const { host } = request.headers;
    if (isOurs(host)) done();
    else answerDenial(request, reply, wrongHost(host));
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
