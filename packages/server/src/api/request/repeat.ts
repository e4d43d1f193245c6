import { hash } from "node:crypto";
import { keysKeptMs, refuse, type Token } from "@tessera/core";
import type { RouteId } from "@tessera/wire";
import type { Denial } from "../answer/problem.ts";
import type { Api, Call } from "../context.ts";

/**
 * The idempotency of a create: its key, and a hash that two equal requests share. A token with other scopes makes another
 * request of the same body. What answers with a secret is repeated for the very token that asked first.
 */
export function idempotencyOf(
  key: string,
  route: RouteId,
  body: unknown,
  { scopes, id }: Token,
): { key: string; bodyHash: string } {
  const holder = `${route === "createToken" ? `\n${id}` : ""}${scopes.length === 0 ? "" : `\n${scopes.join()}`}`;
  return { key, bodyHash: hash("sha256", `${route}\n${sortedJson(withoutProof(body))}${holder}`, "hex") };
}

/** The journal keeps the hash: a password must not be in it, where it could be guessed. */
function withoutProof(body: unknown): unknown {
  if (typeof body !== "object" || body === null || !("currentPassword" in body)) return body;
  const { currentPassword: _, ...rest } = body;
  return rest;
}

/** JSON with sorted keys: the same for every spelling of the same body. */
function sortedJson(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map(sortedJson).join()}]`;
  const record = value as Record<string, unknown>;
  let text = "";
  for (const key of Object.keys(record).sort()) {
    text += `${text === "" ? "" : ","}${JSON.stringify(key)}:${sortedJson(record[key])}`;
  }
  return `{${text}}`;
}

/**
 * The id that an earlier request with this key made; a denial when that was another request; undefined for a new one.
 * Asked before anything else is looked at: what a create leaned on may have changed since, its answer has not (S15).
 */
export function earlierResult(
  api: Api,
  call: Pick<Call<RouteId>, "principal" | "idempotency">,
): string | Denial | undefined {
  const { idempotency, principal } = call;
  if (idempotency === undefined) return undefined;
  const used = api.control.state.keys.get(`${principal.user.id}/${idempotency.key}`);
  if (used === undefined || used.at <= api.control.now() - keysKeptMs) return undefined;
  if (used.bodyHash === idempotency.bodyHash) return used.result;
  return refuse(
    "key-reused",
    "Idempotency-Key",
    idempotency.key,
    "was used for another request",
    "use a new key for a new request",
  );
}

/** When the key was first used: the time of what it made. */
export function firstUsedAt(api: Api, call: Pick<Call<RouteId>, "principal" | "idempotency">): number | undefined {
  return api.control.state.keys.get(`${call.principal.user.id}/${call.idempotency?.key}`)?.at;
}
