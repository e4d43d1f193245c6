import { instantText } from "@tessera/core";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type Stranger, strangerOf } from "../../access/principal.ts";
import type { Api } from "../context.ts";
import { type Denial, deny, problemOf, statusOf } from "./problem.ts";

/** Answers with problem details. */
export function answerDenial(request: FastifyRequest, reply: FastifyReply, denial: Denial): FastifyReply {
  const status = statusOf(denial);
  request.denied = denial;
  if (status === 503) reply.header("retry-after", "1");
  if (denial.retryAfterSeconds !== undefined) reply.header("retry-after", String(denial.retryAfterSeconds));
  return reply
    .code(status)
    .header("content-type", "application/problem+json")
    .send(JSON.stringify(problemOf(denial, request.tessRequestId)));
}

/** For a request without a valid token: its holder is told what is wrong with it. */
export function unauthenticated(api: Api, { headers }: FastifyRequest, reply: FastifyReply): Denial {
  const { control, revoked } = api;
  const stranger = strangerOf(control.state, revoked, headers.authorization, control.now());
  const error = stranger.why === "no-token" ? "" : ', error="invalid_token"';
  reply.header("www-authenticate", `Bearer realm="tessera"${error}`);
  return denialOfStranger(stranger);
}

export function denialOfStranger(stranger: Stranger): Denial {
  const another = "Make another one with tess token create where you are signed in, or ask an administrator for one.";
  switch (stranger.why) {
    case "no-token":
      return deny(
        "unauthenticated",
        "The request has no token.",
        "Log in with tess login, or send Authorization: Bearer tess_….",
      );
    case "no-such-form":
      return deny(
        "unauthenticated",
        "The token does not have the form of a token: tess_ and 43 letters, digits, - and _.",
        "Copy it again as a whole.",
      );
    case "unknown":
      return deny(
        "unauthenticated",
        "This server does not know the token.",
        `Check that it belongs to this server and was copied as a whole. ${another}`,
      );
    case "revoked":
      return deny("unauthenticated", `The token was revoked at ${instantText(stranger.at)}.`, another);
    case "expired":
      return deny("unauthenticated", `The token expired at ${instantText(stranger.at)}.`, another);
    case "homeless":
      return deny("unauthenticated", "The account that the token is limited to was deleted.", another);
    case "disabled":
      return deny(
        "unauthenticated",
        "The token is valid, but its user is disabled.",
        "Ask an administrator to enable the user: tess user enable NAME.",
      );
  }
}
