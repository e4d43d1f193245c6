import { isRefusal, rootAccount, type User } from "@tessera/core";
import { type BreakGlass, breakGlassSessionMs, takeBreakGlass } from "../../access/break-glass.ts";
import { openSession } from "../../flow/people/session.ts";
import { timestamp } from "../../render/quantities.ts";
import { type Denial, deny, isDenied } from "../answer/problem.ts";
import type { Api } from "../context.ts";
import { userNamed } from "./authorise.ts";

const alarmMs = 24 * 3_600_000;

/** Signs an owner in by what was made in the data folder; undefined where the ticket is none of those. */
export async function enterByBreakGlass(api: Api, ticket: string, by: { request: string; address: string }) {
  const { control, dataFolder, notices, alarms } = api;
  const now = control.now();
  const made = dataFolder === undefined ? undefined : takeBreakGlass(dataFolder, ticket, now);
  if (made === undefined) return undefined;
  const user = ownerFor(api, made);
  if (isDenied(user)) return user;
  const signIn = { by: "break-glass", factorAt: now } as const;
  const opened = await openSession(control, user, by, { signIn, lifeMs: breakGlassSessionMs });
  if (isRefusal(opened)) return opened;
  const detail = `${made.by} on the server's machine signed in as ${user.id} without password or factor`;
  notices.add({
    ...{ kind: "session.break-glass", user: user.id, token: opened.token.id, account: "", target: user.id },
    ...{ address: by.address, request: by.request, outcome: "changed", detail },
  });
  const until = timestamp(now + breakGlassSessionMs);
  const text = `Break-glass: ${detail} at ${timestamp(now)}. The session ends at ${until}; if nobody of you did this, revoke it.`;
  alarms?.raise({ kind: "break-glass", since: now, text });
  console.error(`tessera: ${text}`);
  return { session: opened.session, principal: { user, token: opened.token } };
}

/** Looked at now and then: a day is enough for everyone to have seen it. */
export function clearBreakGlassAlarm({ alarms, control }: Pick<Api, "alarms" | "control">): void {
  const raised = alarms?.list().find(({ kind }) => kind === "break-glass");
  if (raised !== undefined && control.now() - raised.since > alarmMs) alarms?.clear("break-glass");
}

function ownerFor(api: Api, { user: name }: BreakGlass): User | Denial {
  const owners = [...api.control.state.users.values()].filter(isOwner);
  const hint = "Make another link: tess admin break-glass --user NAME, with the login name of a platform owner.";
  if (name === undefined) {
    if (owners.length === 1) return owners[0]!;
    return deny("unauthenticated", `There are ${owners.length} platform owners, and the link names none.`, hint);
  }
  const named = userNamed(api, name);
  return named !== undefined && isOwner(named)
    ? named
    : deny("unauthenticated", "The link names no user who is a platform owner and not disabled.", hint);
}

function isOwner({ bindings, disabled }: User): boolean {
  return !disabled && bindings.some(({ role, account }) => role === "platform-owner" && account === rootAccount);
}
