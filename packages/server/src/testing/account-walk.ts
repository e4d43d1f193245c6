import { type Role, roles } from "@tessera/core";
import { type Route, type RouteId, routes } from "@tessera/wire";
import { grantsOfEveryone } from "../access/policy.ts";
import { credentialActions } from "../access/principal.ts";
import { mintToken } from "../access/tokens.ts";
import { newId } from "../flow/ids.ts";
import type { TestControl } from "./control.ts";
import { makeWorld, requestFor } from "./role-matrix.ts";
import type { Answer, Tenancy, TestServer } from "./tenancy.ts";

/** What a walk with tokens that are limited to one of two tenants found. */
export interface AccountWalk {
  readonly tried: number;
  /** Requests at the account of the token that were answered. */
  readonly answered: number;
  readonly watched: number;
  /** What was done or told of the other tenant. */
  readonly beyond: readonly string[];
}

/** The other tenant, by the name that everything of it carries. */
const other = /bolt/i;
const named: ReadonlySet<Route["resource"]> = new Set([
  ...(["job", "account", "secret", "user", "token", "binding", "in-project", "in-account", "visible"] as const),
]);

/**
 * Walks every route with tokens that are limited to one tenant, of users whose roles hold for the whole platform: what
 * belongs to the other tenant is neither answered, listed, watched nor changed, and credentials are out of reach.
 */
export async function walkAccounts(
  control: TestControl,
  server: TestServer,
  walking: readonly Role[] = roles,
): Promise<AccountWalk> {
  const { tenancy } = await makeWorld(control);
  await fillOther(tenancy);
  const walker = new Walker(server, tenancy);
  for (const role of walking) await walker.walk(role);
  return walker;
}

async function fillOther(tenancy: Tenancy): Promise<void> {
  const user = await tenancy.user("bolt-person", "member", "bolt");
  await tenancy.job("bolt/team", user.id, { name: "bolt-waits" }, 4_000_000_000_000);
  await tenancy.job("bolt", user.id, { name: "bolt-runs" });
  await tenancy.secret("bolt", "BOLT_KEY", "x");
  await tenancy.volume("bolt", "bolt-data", "/srv/bolt");
  await tenancy.budget("bolt");
}

class Walker implements AccountWalk {
  readonly #server: TestServer;
  readonly #tenancy: Tenancy;
  readonly beyond: string[] = [];
  tried = 0;
  answered = 0;
  watched = 0;

  constructor(server: TestServer, tenancy: Tenancy) {
    this.#server = server;
    this.#tenancy = tenancy;
  }

  async walk(role: Role): Promise<void> {
    const { id: user } = await this.#tenancy.user(`everywhere-${role}`, role, "");
    const token = await this.#limited(user);
    for (const id of Object.keys(routes) as RouteId[]) {
      if (isOfStrangers.has(id)) continue;
      await this.#at(id, role, token);
      await this.#elsewhere(id, role, token);
      if ((routes[id] as Route).watch) await this.#watch(id, role, token);
    }
    this.#look(`metrics as ${role}`, await this.#server.call(token, "GET", "/metrics"));
  }

  async #limited(user: Awaited<ReturnType<Tenancy["user"]>>["id"]): Promise<string> {
    const { token, prefix, hash } = mintToken();
    const names = { id: newId("tok_") as never, user, prefix, hash, label: "limited" };
    const limits = { scopes: [], expiresAt: 0, account: "acme" };
    await this.#tenancy.control.must({ kind: "token.create", ...names, ...limits });
    return token;
  }

  /** At the account of the token, and without naming any. */
  async #at(id: RouteId, role: Role, token: string): Promise<void> {
    const route: Route = routes[id];
    const { path, body } = await requestFor(this.#tenancy, id, role, "child");
    const answer = await this.#server.call(token, route.method, path, body);
    this.#look(`${id} as ${role} at its account`, answer);
    if (answer.status < 300) this.answered++;
    if (credentialActions.has(route.action) && answer.status < 400) this.#found(id, role, answer);
    if (route.resource !== "visible" || route.method !== "GET") return;
    this.#look(`${id} as ${role} everywhere`, await this.#server.call(token, "GET", path.split("?")[0]!));
  }

  async #elsewhere(id: RouteId, role: Role, token: string): Promise<void> {
    const route: Route = routes[id];
    for (const where of ["sibling", "missing"] as const) {
      const { path, body } = await requestFor(this.#tenancy, id, role, where);
      const answer = await this.#server.call(token, route.method, path, body);
      const asked = typeof answer.json?.value === "string" ? answer.json.value : "";
      this.#look(`${id} as ${role} on ${where}`, { ...answer, text: withoutName(answer.text, asked) });
      const isAnswered = answer.status < 400;
      const namesOther = named.has(route.resource) && (route.resource !== "visible" || path.includes("?"));
      if (isAnswered && namesOther) this.#found(id, role, answer);
      if (isAnswered && route.resource === "fleet" && !grantsOfEveryone.has(route.action))
        this.#found(id, role, answer);
    }
  }

  /** What a watched list says at first, and what it says of a change in both tenants. */
  async #watch(id: RouteId, role: Role, token: string): Promise<void> {
    const { path } = await requestFor(this.#tenancy, id, role, "child");
    const given = new AbortController();
    const answer = await fetch(`${this.#server.url}${path.split("?")[0]}`, {
      headers: { authorization: `Bearer ${token}`, accept: "text/event-stream" },
      signal: given.signal,
    });
    if (answer.status === 200) {
      this.watched++;
      let text = "";
      const reading = (async () => {
        for await (const part of answer.body ?? []) text += Buffer.from(part).toString("utf8");
      })().catch(() => {});
      const user = await this.#tenancy.user(`bolt-later-${id}-${role}`, "member", "bolt");
      await this.#tenancy.job("bolt", user.id, { name: "bolt-later" }, 4_000_000_000_000);
      await new Promise((resolve) => setTimeout(resolve, 20));
      given.abort();
      await reading;
      if (other.test(text)) this.beyond.push(`watched ${id} as ${role}: ${text.slice(0, 300)}`);
    } else await answer.body?.cancel();
  }

  #look(what: string, { status, text }: Pick<Answer, "status" | "text">): void {
    this.tried++;
    if (other.test(text)) this.beyond.push(`${what}: ${status} ${text.slice(0, 300)}`);
  }

  #found(id: RouteId, role: Role, { status, text }: Answer): void {
    this.beyond.push(`${id} as ${role} was answered: ${status} ${text.slice(0, 200)}`);
  }
}

/** A refusal names what was asked for, which is no news. */
function withoutName(text: string, name: string): string {
  return name === "" ? text : text.replaceAll(name, "");
}

/** Their answers do not depend on the token of a program, or end it. */
const isOfStrangers: ReadonlySet<RouteId> = new Set<RouteId>(["signIn", "beginSignIn", "beginLogin", "takeLogin"]);
