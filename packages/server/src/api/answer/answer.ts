import type { FastifyReply, FastifyRequest } from "fastify";
import { type Denial, deny, problemOf, statusOf } from "./problem.ts";

/** Answers with problem details. */
export function answerDenial(request: FastifyRequest, reply: FastifyReply, denial: Denial): FastifyReply {
  const status = statusOf(denial);
  if (status === 503) reply.header("retry-after", "1");
  return reply
    .code(status)
    .header("content-type", "application/problem+json")
    .send(JSON.stringify(problemOf(denial, request.tessRequestId)));
}

/** For a request without a valid token. */
export function unauthenticated(reply: FastifyReply): Denial {
  reply.header("www-authenticate", 'Bearer realm="tessera"');
  return deny(
    "unauthenticated",
    "The request has no valid token: it is missing, unknown, expired or revoked.",
    "Log in with tess login, or send Authorization: Bearer tess_….",
  );
}
