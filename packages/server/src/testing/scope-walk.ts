import { type Role, roles } from "@tessera/core";
import { actions, type RouteId, routes } from "@tessera/wire";
import { credentialActions } from "../access/principal.ts";
import { fleetOf, TestControl } from "./control.ts";
import { makeWorld, requestFor } from "./role-matrix.ts";
import { serveApi, type Tenancy, type TestServer, type TestUser } from "./tenancy.ts";

/** What a walk over random sets of scopes found. */
export interface ScopeWalk {
  readonly sets: number;
  /** Requests beyond the set or to credentials: all must be refused. */
  readonly tried: number;
  /** Requests within the set that were answered: that scopes do allow something. */
  readonly answered: number;
  /** What was not refused. */
  readonly beyond: readonly string[];
}

interface Request {
  readonly id: RouteId;
  readonly path: string;
  readonly body?: unknown;
}

/** Routes that answer people who are not signed in. */
const open: ReadonlySet<RouteId> = new Set<RouteId>([
  "signIn",
  "challengeSignIn",
  "beginSignIn",
  "beginLogin",
  "takeLogin",
  "readSession",
  "signOut",
]);
const exchangeEvery = 50;

/**
 * Gives tokens random sets of scopes, for users of every role, and sends with each a request that the set does not name,
 * one that changes credentials, and one that it names. Some are exchanged for a browser session, which must not reach
 * further. The same seed walks the same way.
 */
export async function walkScopes(sets: number, seed: number): Promise<ScopeWalk> {
  const control = await TestControl.start(undefined, fleetOf(1, 8));
  const { tenancy, users } = await makeWorld(control);
  const endless = { burst: 1e9, perSecond: 1e9 };
  const server = await serveApi(control, { rates: { user: endless, stranger: endless } });
  try {
    const requests = new Map<Role, readonly Request[]>();
    for (const role of roles) requests.set(role, await requestsFor(tenancy, role));
    return await new Walker(server, tenancy, users, requests, randomFrom(seed)).walk(sets);
  } finally {
    await server.close();
  }
}

/** For each route a request that would succeed, or nearly, if scopes did not count. */
async function requestsFor(tenancy: Tenancy, role: Role): Promise<readonly Request[]> {
  const ids = (Object.keys(routes) as RouteId[]).filter((id) => !open.has(id));
  const made: Request[] = [];
  for (const id of ids) made.push({ id, ...(await requestFor(tenancy, id, role, "own")) });
  return made;
}

class Walker {
  readonly #server: TestServer;
  readonly #tenancy: Tenancy;
  readonly #users: Readonly<Record<Role, TestUser>>;
  readonly #requests: ReadonlyMap<Role, readonly Request[]>;
  readonly #random: (below: number) => number;
  readonly #beyond: string[] = [];
  #tried = 0;
  #answered = 0;

  constructor(
    server: TestServer,
    tenancy: Tenancy,
    users: Readonly<Record<Role, TestUser>>,
    requests: ReadonlyMap<Role, readonly Request[]>,
    random: (below: number) => number,
  ) {
    this.#server = server;
    this.#tenancy = tenancy;
    this.#users = users;
    this.#requests = requests;
    this.#random = random;
  }

  async walk(sets: number): Promise<ScopeWalk> {
    for (let n = 0; n < sets; n++) await this.#set(n);
    return { sets, tried: this.#tried, answered: this.#answered, beyond: this.#beyond };
  }

  async #set(n: number): Promise<void> {
    const role = this.#pick(roles);
    const share = 1 + this.#random(9);
    const some = actions.filter(() => this.#random(10) < share);
    const scopes = some.length === 0 ? [this.#pick(actions)] : some;
    const { token } = await this.#tenancy.token(this.#users[role].id, scopes);
    const requests = this.#requests.get(role) ?? [];
    const isWithin = ({ id }: Request) =>
      scopes.includes(routes[id].action) && !credentialActions.has(routes[id].action);
    const outside = requests.filter((request) => !isWithin(request));
    const bearer = { authorization: `Bearer ${token}` };
    if (outside.length > 0) await this.#mustBeRefused(this.#pick(outside), scopes, bearer);
    const credentials = requests.filter(({ id }) => credentialActions.has(routes[id].action));
    await this.#mustBeRefused(this.#pick(credentials), scopes, bearer);
    const reads = requests.filter((request) => isWithin(request) && plainReads.has(request.id));
    if (reads.length > 0) await this.#mayBeAnswered(this.#pick(reads), bearer);
    if (n % exchangeEvery === 0) await this.#exchange(token, scopes, outside);
  }

  /** The session that a token is exchanged for reaches no further than the token. */
  async #exchange(token: string, scopes: readonly string[], outside: readonly Request[]): Promise<void> {
    const own = { "sec-fetch-site": "same-origin", origin: this.#server.url };
    const answer = await this.#server.call(undefined, "POST", "/v1/session", { token }, own);
    if (answer.status !== 200) return; // refused is within the set, too
    const cookie = answer.headers
      .getSetCookie()
      .map((each) => each.split(";")[0])
      .join("; ");
    const browser = { cookie, "tessera-proof": answer.json.proof, ...own };
    for (const request of outside.slice(0, 8)) await this.#mustBeRefused(request, scopes, browser);
  }

  async #mustBeRefused(request: Request, scopes: readonly string[], headers: Record<string, string>): Promise<void> {
    this.#tried++;
    const { status } = await this.#send(request, headers);
    if (status !== 403 && status !== 401) this.#beyond.push(`${request.id} ${status} with ${scopes.join(" ")}`);
  }

  async #mayBeAnswered(request: Request, headers: Record<string, string>): Promise<void> {
    if ((await this.#send(request, headers)).status < 300) this.#answered++;
  }

  #send({ id, path, body }: Request, headers: Record<string, string>) {
    return this.#server.call(undefined, routes[id].method, path, body, headers);
  }

  #pick<Item>(items: readonly Item[]): Item {
    return items[this.#random(items.length)]!;
  }
}

/** Reads that cost little, since some thousand of them are made. */
const plainReads: ReadonlySet<RouteId> = new Set<RouteId>([
  "whoAmI",
  "getJob",
  "listSecrets",
  "listVolumes",
  "getAccount",
  "listNodes",
  "getPolicy",
  "readPrices",
  "getUser",
  "listRoles",
]);

/** Mulberry32: small, and the same everywhere. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}
