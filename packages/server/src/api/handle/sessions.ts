import type { Token, TokenId } from "@tessera/core";
import type { SessionItem } from "@tessera/wire";
import type { Principal } from "../../access/principal.ts";
import { isIdle, isSession } from "../../access/session.ts";
import { timestamp } from "../../render/quantities.ts";
import { notFound } from "../answer/problem.ts";
import type { Api, Handler } from "../context.ts";
import { isOfPerson } from "../guard/second-factors.ts";

type SessionHandlers = {
  listSessions: Handler<"listSessions">;
  nameSession: Handler<"nameSession">;
};

export const sessionHandlers: SessionHandlers = {
  listSessions(api, { principal }) {
    const newest = sessionsOf(api, principal).sort((a, b) => b.createdAt - a.createdAt);
    return { items: newest.map((token) => showSession(api, principal, token)) };
  },

  nameSession(api, { principal, params, body }) {
    const token = api.control.state.tokens.get(params.session as TokenId);
    if (token === undefined || !sessionsOf(api, principal).includes(token)) return notFound("session", params.session);
    const { fresh: _, ...known } = api.sessionNotes.of(token) ?? { device: token.label, address: "" };
    api.sessionNotes.set(token, { ...known, ...(body.label !== undefined && { label: body.label }) });
    return showSession(api, principal, token);
  },
};

/** Browsers and terminals in which the caller is signed in now. */
function sessionsOf({ control, tokenUse }: Api, { user }: Principal): Token[] {
  const now = control.now();
  const { state } = control;
  return [...state.tokens.values()].filter(
    (token) =>
      token.user === user.id &&
      isOfPerson(token) &&
      (token.expiresAt === 0 || token.expiresAt > now) &&
      !isIdle(token, now, tokenUse, state.policy),
  );
}

function showSession({ sessionNotes, tokenUse }: Api, { token: here }: Principal, token: Token): SessionItem {
  const note = sessionNotes.of(token);
  const usedAt = tokenUse.lastUsedAt(token.id);
  const { by, provider } = token.signIn ?? {};
  return {
    id: token.id,
    kind: isSession(token) ? "browser" : "tess",
    device: note?.label ?? note?.device ?? token.label,
    ...(note !== undefined && note.address !== "" && { address: note.address }),
    ...(by !== undefined && { by: provider === undefined ? by : `${by} ${provider}` }),
    createdAt: timestamp(token.createdAt),
    ...(usedAt !== undefined && { lastUsedAt: timestamp(usedAt) }),
    ...(token.expiresAt > 0 && { expiresAt: timestamp(token.expiresAt) }),
    here: token.id === here.id,
    fresh: note?.fresh === true,
  };
}
