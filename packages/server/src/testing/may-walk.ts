import { type Role, roles, type TokenId, type UserId } from "@tessera/core";
import { acts, type RouteId, routes, type Thing } from "@tessera/wire";
import { requestFor } from "./role-matrix.ts";
import type { Tenancy, TestServer, TestUser } from "./tenancy.ts";

/** What a walk found: where `may` said another thing than the answer to the request. */
export interface MayWalk {
  readonly cells: number;
  /** Cells in which `may` held the act: that it holds anything. */
  readonly held: number;
  readonly wrong: readonly string[];
}

/** Acts that name a second thing, which is not there in a cell: not found is then no word about permission. */
const namesAbsent: ReadonlySet<RouteId> = new Set<RouteId>(["closeRepair"]);

/**
 * For every act, as every role and on things of every tenancy: what `may` says of the thing, and then the request
 * itself. They must agree. Requests and things are those of the role matrix.
 */
export async function walkMay(
  server: TestServer,
  { tenancy, users }: { readonly tenancy: Tenancy; readonly users: Readonly<Record<Role, TestUser>> },
  tokenOf: (user: TestUser) => Promise<string> = async ({ token }) => token,
  as: readonly Role[] = roles,
): Promise<MayWalk> {
  const wrong: string[] = [];
  let cells = 0;
  let held = 0;
  for (const role of as) {
    const token = await tokenOf(users[role]);
    const ask = async (method: string, path: string, body?: unknown) => server.call(token, method, path, body);
    for (const [kind, ids] of Object.entries(acts) as [Thing, readonly RouteId[]][]) {
      for (const id of ids) {
        for (const where of kind === "billing" ? tenants : places) {
          const request = where === "mine" ? await mine(tenancy, users[role], id) : undefined;
          if (where === "mine" && request === undefined) continue;
          const { path, body } =
            request ?? (await requestFor(tenancy, id, role, where as Exclude<typeof where, "mine">));
          if (kind === "budget" && where !== "mine") await tenancy.budget(accountAt[where]);
          const may = await mayOf(ask, tenancy, kind, id, path, body);
          const { status, text } = await ask(routes[id].method, path, body);
          const refused = status === 403 || status === 401 || (status === 404 && !namesAbsent.has(id));
          const says = may === "all" || may.includes(id);
          cells++;
          if (says) held++;
          if (says === refused) wrong.push(`${kind} ${id} as ${role} on ${where}: may ${says}, ${status} ${text}`);
          if (id === "cordonNode" || id === "drainNode" || id === "downNode")
            await tenancy.control.must({ kind: "node.up", node: "n1" });
        }
      }
    }
  }
  return { cells, held, wrong };
}

/** What is missing has no `may`. Only tenants are billed. */
const places = ["own", "child", "sibling", "mine"] as const;
const tenants = ["own", "sibling"] as const;
const accountAt = { own: "acme", child: "acme/team", sibling: "bolt" } as const;
const notYet = 4_000_000_000_000;

/** The request on a job, a token or the user that is the walker's own; undefined for acts on other things. */
async function mine(
  tenancy: Tenancy,
  user: TestUser,
  id: RouteId,
): Promise<{ path: string; body?: unknown } | undefined> {
  const { path, resource, ...route } = routes[id];
  const body = "body" in route ? { body: id === "setPassword" ? { password: "correct horse battery" } : {} } : {};
  if (resource === "job") {
    const job = await tenancy.job("acme", user.id, {}, notYet);
    const given = id === "enterJob" ? { body: { how: "exec", command: "true" } } : body;
    return { path: path.replace(":job", job), ...given };
  }
  // One must not lock oneself out before the walk is over.
  if (id === "revokeToken") return { path: path.replace(":token", (await tenancy.token(user.id)).tokenId) };
  if (id === "createToken") return { path, body: { user: user.id } };
  if (resource === "user" && id !== "setPassword") return { path: path.replace(":user", user.id), ...body };
  return undefined;
}

type Ask = (
  method: string,
  path: string,
  body?: unknown,
) => Promise<{ readonly status: number; readonly json: unknown }>;

/** `may` of the thing that the request is about; empty where the thing is not shown. */
async function mayOf(
  ask: Ask,
  { control: { state } }: Tenancy,
  kind: Thing,
  id: RouteId,
  path: string,
  body: unknown,
): Promise<"all" | readonly string[]> {
  const named = path.split("/")[3] ?? "";
  const given = (body ?? {}) as { readonly [name: string]: string | undefined };
  const one = async (address: string) => (await shown(ask, address)) as Shown;
  const among = async (address: string, is: (item: Shown) => boolean) =>
    (((await shown(ask, address)) as { items?: Shown[] }).items ?? []).find(is)?.may ?? [];
  const account = () => {
    if (routes[id].resource === "account") return named;
    const at = id === "createAccount" ? given.path!.slice(0, given.path!.lastIndexOf("/")) : undefined;
    return encodeURIComponent(at ?? given.account ?? given.project!);
  };
  switch (kind) {
    case "job":
      return (await one(`/v1/jobs/${named}`)).may ?? [];
    case "account":
      return (await one(`/v1/accounts/${account()}`)).may ?? [];
    case "budget":
      return among(`/v1/budgets?account=${account()}`, (item) => item.account === decodeURIComponent(account()));
    case "billing":
      return among(`/v1/billing?account=${account()}`, (item) => item.tenant === decodeURIComponent(account()));
    case "node":
      return (await one(`/v1/nodes/${id === "closeRepair" ? "n1" : named}`)).may ?? [];
    case "engine":
      return (await one(`/v1/engines/${named}`)).may ?? [];
    case "pool":
      return (await one(`/v1/pools/${named}`)).may ?? [];
    case "user":
      return (await one(`/v1/users/${given.user ?? named}`)).may ?? [];
    case "token": {
      const owner: UserId | undefined = state.tokens.get(named as TokenId)?.user;
      return among(`/v1/tokens?user=${owner ?? named}&limit=1000`, (item) => item.id === named);
    }
    case "binding": {
      const [user, role, at] = decodeURIComponent(named).split(":");
      return (
        (await one(`/v1/users/${user}`)).bindings?.find((each) => each.role === role && each.account === at)?.may ?? []
      );
    }
    case "prices":
      return (await one("/v1/prices")).may ?? [];
  }
}

interface Shown {
  readonly may?: "all" | readonly string[];
  readonly id?: string;
  readonly account?: string;
  readonly tenant?: string;
  readonly role?: string;
  readonly bindings?: readonly Shown[];
}

async function shown(ask: Ask, address: string): Promise<unknown> {
  const { status, json } = await ask("GET", address);
  return status === 200 ? json : {};
}
