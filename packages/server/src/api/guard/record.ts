import { type AuditOutcome, accountOf, type Token } from "@tessera/core";
import { type RefusalKept, type Route, type RouteId, refusalsKept, routes } from "@tessera/wire";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Principal } from "../../access/principal.ts";
import { accountOfUser } from "../../flow/project/audit.ts";
import type { OthersToken } from "../../flow/project/privileged.ts";
import { type Denial, statusOf } from "../answer/problem.ts";
import type { Api, Call } from "../context.ts";

/** Refusals that tell of someone who tried what is not theirs; a mistake in a field is none. */
const kept: ReadonlySet<number> = new Set([401, 403, 404, 429]);
const keptKinds: ReadonlySet<Denial["refused"]> = new Set<Denial["refused"]>(refusalsKept);

const routeAt = new Map<string, Route>(Object.values(routes).map((route) => [`${route.method} ${route.path}`, route]));

/** Notes each refusal once it has been answered. */
export function addRecording(app: FastifyInstance, api: Api): void {
  app.addHook("onResponse", (request, _reply, done) => {
    if (request.denied !== undefined) noteRefusal(api, request, request.denied);
    done();
  });
}

function noteRefusal(api: Api, request: FastifyRequest, denial: Denial): void {
  const route = routeAt.get(`${request.method} ${request.routeOptions.url ?? ""}`);
  // A wrong password is noted where it is found, with its user.
  if (route === undefined || route === routes.signIn || route === routes.beginSignIn) return;
  const target = (seen: boolean) => targetOf(api, route, request.params, seen);
  const { ip: address, tessRequestId } = request;
  noteDenial(api, route, { principal: request.incoming?.principal, address, tessRequestId, target }, denial);
}

/** Whether the detail of a record is that of a refusal for this reason. */
export function isRefusedAs(kind: RefusalKept, detail: string): boolean {
  return detail.startsWith(`${kind}: `);
}

/** A request that was refused. */
export interface Refused {
  readonly principal?: Principal | undefined;
  readonly address: string;
  readonly tessRequestId: string;
  /** What it was about; `seen`: the caller may know that it is there. */
  target(seen: boolean): string;
}

/** Notes a refusal, unless it only tells of a mistake. */
export function noteDenial(api: Api, route: Route, refused: Refused, denial: Denial): void {
  if (!kept.has(statusOf(denial)) || !keptKinds.has(denial.refused)) return;
  const { principal, address, tessRequestId } = refused;
  // What the caller may not see may be another tenant's: only the platform's audit names it.
  const seen = principal !== undefined && denial.refused !== "not-found";
  api.notices.add({
    kind: route.action,
    ...(principal !== undefined && { user: principal.user.id, token: principal.token.id }),
    address,
    request: tessRequestId,
    account: seen ? accountOfUser(api.control.state, principal.user.id) : "",
    target: refused.target(seen),
    outcome: "refused",
    detail: `${denial.refused}: ${route.method} ${route.path}`,
  });
}

const idPattern = /^(job|acc|usr|tok)_[a-z0-9]{1,32}(\.\d{1,7})?$/;

/**
 * What was asked for, by its id. Other words are kept only of what the caller may see: what was typed may be the name of
 * a person or a secret, and could not be erased.
 */
function targetOf({ people }: Api, { resource }: Route, params: unknown, seen: boolean): string {
  const [name = ""] = Object.values((params ?? {}) as Record<string, string>);
  if (idPattern.test(name)) return name;
  if (resource === "user") return people.idOf(name) ?? "";
  return seen && (resource === "job" || resource === "account") ? name : "";
}

/** Notes that a token of another user was made or revoked, which takes special rights: of the command only the detail tells. */
export function noteOthersToken(
  api: Api,
  { principal, address, requestId }: Pick<Call<RouteId>, "principal" | "address" | "requestId">,
  kind: OthersToken,
  { id, user }: Pick<Token, "id" | "user">,
): void {
  if (user === principal.user.id) return;
  api.notices.add({
    kind,
    user: principal.user.id,
    token: principal.token.id,
    address,
    request: requestId,
    account: accountOfUser(api.control.state, user),
    target: user,
    outcome: "changed",
    detail: id,
  });
}

/** Routes that show what belongs to others, and whether it is made to be taken away. */
const reads: Readonly<Partial<Record<RouteId, AuditOutcome>>> = {
  readLogs: "read",
  listOutputs: "read",
  listFiles: "read",
  readFile: "read",
  listSecrets: "read",
  listTokens: "read",
  listAudit: "read",
  getExtract: "exported",
  listUsageEvents: "exported",
  listEntries: "exported",
};

/** Notes that something of others is about to be shown. */
export function noteRead(api: Api, id: RouteId, call: Call<RouteId>): void {
  const outcome = reads[id];
  if (outcome === undefined) return;
  const found = whatIsRead(api, id, call);
  if (found === undefined) return;
  const { principal, address, requestId } = call;
  api.notices.add({
    kind: routes[id].action,
    user: principal.user.id,
    token: principal.token.id,
    address,
    request: requestId,
    ...found,
    outcome,
    detail: `${routes[id].method} ${routes[id].path}`,
  });
}

/** What is read and whose it is; undefined where it is the reader's own. */
function whatIsRead(api: Api, id: RouteId, call: Call<RouteId>): { account: string; target: string } | undefined {
  const { target, principal, query } = call;
  if (id === "listTokens") return tokensRead(api, principal.user.id, (query as { user?: string }).user);
  if (Array.isArray(target)) return { account: target.length === 1 ? target[0].path : "", target: "" };
  if (typeof target !== "object" || target === null) return undefined;
  if ("path" in target) return { account: target.path, target: target.path };
  if (!("own" in target)) return undefined;
  const { account, own } = target;
  const job = "live" in target ? target.live.id : target.ended.id;
  return own ? undefined : { account: accountOf(api.control.state, account.no).path, target: job };
}

function tokensRead({ people, control }: Api, reader: string, named: string | undefined) {
  const owner = named === undefined ? undefined : (people.idOf(named) ?? named);
  const user = owner === undefined ? undefined : control.state.users.get(owner as never);
  if (user === undefined || user.id === reader) return undefined;
  return { account: accountOfUser(control.state, user.id), target: user.id };
}
