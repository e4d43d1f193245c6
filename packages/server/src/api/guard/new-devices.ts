import type { Token, User } from "@tessera/core";
import type { FastifyReply, FastifyRequest } from "fastify";
import { deviceName } from "../../access/device-name.ts";
import type { Principal } from "../../access/principal.ts";
import { accountOfUser } from "../../flow/project/audit.ts";
import type { Api } from "../context.ts";
import { isOfPerson } from "./second-factors.ts";

/**
 * Notes where a session was opened. A browser in which its user has signed in before has a cookie that says so; any other
 * is new: the audit keeps it, and the user is told wherever else they are signed in.
 */
export function noteDevice(api: Api, { user, token }: Principal, request: FastifyRequest, reply: FastifyReply): void {
  const { devices } = api.passwords;
  const isKnown = devices.known(request.headers.cookie, user.id) !== undefined;
  const device = deviceName(request.headers["user-agent"]);
  const isFresh = !isKnown && isElsewhere(api, user, token);
  api.sessionNotes.set(token, { device, address: request.ip, ...(isFresh && { fresh: true }) });
  if (isKnown) return;
  reply.header("set-cookie", devices.cookieFor(user.id));
  if (!isFresh) return;
  api.notices.add({
    ...{ kind: "session.new-device", user: user.id, token: token.id, target: token.id, outcome: "changed" },
    ...{ address: request.ip, request: request.tessRequestId, account: accountOfUser(api.control.state, user.id) },
    detail: `first sign-in on this device: ${device}`,
  });
}

/** Whether the user has signed in anywhere else, and so can be told. */
function isElsewhere({ control: { state } }: Api, user: User, here: Token): boolean {
  return [...state.tokens.values()].some((token) => token.user === user.id && token !== here && isOfPerson(token));
}
