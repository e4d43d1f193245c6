import {
  type Account,
  type Job,
  type JobArray,
  nodeName,
  type ReadonlyState,
  rootAccount,
  type User,
} from "@tessera/core";
import type { SearchHit } from "@tessera/wire";
import type { People } from "../../access/people.ts";
import { may, maySeeUser, rootsFor } from "../../access/policy.ts";
import { isWithin } from "../../store/paths.ts";
import type { EndedJobRow } from "../../store/port.ts";
import { belongsTo, type Finder, findJob } from "./find-job.ts";

/** A hit with its place: how well it matches, live before past, newer before older. */
interface Ranked extends SearchHit {
  readonly rank: number;
  readonly at: number;
}

/** Rows of the past that are looked through; an exact name or id is found however old it is. */
const endedMax = 5_000;
const invoicesMax = 500;
/** A kind never fills the list alone. */
const perKindMax = 20;
const kinds: readonly SearchHit["kind"][] = ["account", "job", "node", "user", "engine", "pool", "invoice"];

/** How well a name matches: 0 the same, 1 its beginning, 2 the beginning of a part, 3 anywhere; undefined = not at all. */
export function rankOf(name: string, text: string): number | undefined {
  const at = name.toLowerCase().indexOf(text);
  if (at < 0) return undefined;
  if (at === 0) return name.length === text.length ? 0 : 1;
  return /[a-z0-9]/i.test(name[at - 1]!) ? 3 : 2;
}

/** What this user may see and that has a text in its name, the best first. */
export async function search(
  finder: Finder & { readonly people: People },
  user: User,
  asked: string,
  limit: number,
): Promise<SearchHit[]> {
  const text = asked.trim().toLowerCase();
  if (text === "") return [];
  const { state } = finder.control;
  const found = [
    ...accountsIn(state, user, text),
    ...liveJobsIn(finder, user, text),
    ...(await endedJobsIn(finder, user, text, asked.trim())),
    ...nodesIn(state, text),
    ...peopleIn(finder, user, text),
    ...(await invoicesIn(finder, user, text)),
  ];
  const byPlace = (a: Ranked, b: Ranked) =>
    a.rank - b.rank || kinds.indexOf(a.kind) - kinds.indexOf(b.kind) || b.at - a.at || (a.name < b.name ? -1 : 1);
  const counts = new Map<string, number>();
  const best: SearchHit[] = [];
  for (const { rank: _, at: __, ...hit } of found.sort(byPlace)) {
    const many = counts.get(hit.kind) ?? 0;
    counts.set(hit.kind, many + 1);
    if (many < perKindMax) best.push(hit);
    if (best.length === limit) break;
  }
  return best;
}

function* accountsIn(state: ReadonlyState, user: User, text: string): Generator<Ranked> {
  for (const { no, path, createdAt } of state.accountByPath.values()) {
    const rank = rankOf(path, text);
    if (rank === undefined || no === rootAccount || !may(state, user, "account.read", no)) continue;
    yield { kind: "account", id: path, name: path, address: `/quota/${path}`, about: "account", rank, at: createdAt };
  }
}

function* liveJobsIn({ control: { state }, liveNames }: Finder, user: User, text: string): Generator<Ranked> {
  for (const name of liveNames.names()) {
    const rank = rankOf(name, text);
    if (rank === undefined) continue;
    for (const job of liveNames.named(name)) {
      if (may(state, user, "job.read", job.account)) yield liveHit(state, job, rank);
    }
  }
}

function liveHit(state: ReadonlyState, job: Job | JobArray, rank: number): Ranked {
  const { id, spec, account, submittedAt } = job;
  const doing = "size" in job ? (job.active > 0 ? "running" : "waiting") : job.state;
  const about = `${doing}, ${state.accounts[account]!.path}`;
  return { kind: "job", id, name: spec.name, address: `/jobs/${id}`, about, rank, at: submittedAt };
}

/** The newest ones by a part of their name; by id or whole name however old. */
async function endedJobsIn(finder: Finder, user: User, text: string, asked: string): Promise<Ranked[]> {
  const { state, reader } = finder.control;
  const roots = rootsFor(state, user, "job.read");
  if (roots.length === 0) return [];
  const query = { ...pathsOf(roots), tops: true };
  const [recent, exact, byId] = await Promise.all([
    reader.jobs({ ...query, limit: endedMax }),
    reader.jobs({ ...query, name: asked, limit: perKindMax }),
    asked.startsWith("job_") ? findJob(finder, user, asked) : undefined,
  ]);
  const hits = new Map<string, Ranked>();
  for (const row of [...exact, ...recent]) {
    const rank = rankOf(row.name, text) ?? rankOf(row.id, text);
    if (rank !== undefined && belongsTo(state, roots, row.account, row.submittedAt))
      hits.set(row.id, endedHit(row, rank));
  }
  if (byId !== undefined && "live" in byId) hits.set(byId.live.id, liveHit(state, byId.live, 0));
  if (byId !== undefined && "ended" in byId) hits.set(byId.ended.id, endedHit(byId.ended, 0));
  return [...hits.values()];
}

/** What is over comes after what is live and newer than it by nothing but its name. */
function endedHit({ id, name, account, outcome, submittedAt }: EndedJobRow, rank: number): Ranked {
  const about = `ended, ${outcome}, ${account}`;
  return { kind: "job", id, name, address: `/jobs/${id}`, about, rank: rank + 0.5, at: submittedAt };
}

function pathsOf(roots: readonly Account[]) {
  const some = roots.some(({ path }) => path === "") ? [] : roots;
  return {
    accounts: some.map(({ path }) => path),
    madeAt: new Map(some.map(({ path, createdAt }) => [path, createdAt])),
  };
}

function* nodesIn({ fleet, engines, pools }: ReadonlyState, text: string): Generator<Ranked> {
  for (const node of fleet.nodes) {
    if (node === undefined) continue;
    const name = nodeName(fleet, node);
    const rank = rankOf(name, text);
    if (rank === undefined) continue;
    const about = `${node.mode}, ${node.facts.gpus.length} × ${node.facts.gpus[0]?.model ?? "no GPU"}`;
    const address = `/nodes/${name.split("/").map(encodeURIComponent).join("/")}`;
    yield { kind: "node", id: name, name, address, about, rank, at: 0 };
  }
  for (const [kind, names, address] of [
    ["engine", engines.keys(), "/fleet/engines"],
    ["pool", pools.keys(), "/fleet/pools"],
  ] as const) {
    for (const name of names) {
      const rank = rankOf(name, text);
      if (rank !== undefined) yield { kind, id: name, name, address, about: kind, rank, at: 0 };
    }
  }
}

function* peopleIn(
  { control: { state }, people }: Finder & { readonly people: People },
  user: User,
  text: string,
): Generator<Ranked> {
  for (const other of state.users.values()) {
    const person = people.person(other.id);
    if (person === undefined) continue;
    const rank = rankOf(person.name, text) ?? rankOf(person.email ?? "", text);
    if (rank === undefined || !maySeeUser(state, user, other)) continue;
    const address = other === user ? "/people/me" : `/people/${other.id}`;
    const about = person.email ?? (other.disabled ? "disabled" : "person");
    yield { kind: "user", id: other.id, name: person.name, address, about, rank, at: other.createdAt };
  }
}

async function invoicesIn({ control: { state, reader } }: Finder, user: User, text: string): Promise<Ranked[]> {
  const roots = rootsFor(state, user, "invoice.read").map(({ path }) => path);
  const tenants = roots.filter((path) => !path.includes("/"));
  if (tenants.length === 0) return [];
  const all = roots.includes("");
  const rows = await reader.bookPage({ kind: "invoice", ...(!all && { tenants }), limit: invoicesMax });
  return rows.flatMap(({ key, tenant, toAt, doc }) => {
    const rank = rankOf(key, text) ?? rankOf(tenant, text);
    if (rank === undefined || !(all || roots.some((path) => isWithin(tenant, path)))) return [];
    const { period } = JSON.parse(doc) as { readonly period: { readonly label: string } };
    const address = `/invoices/${encodeURIComponent(tenant)}/${period.label}`;
    return [
      { kind: "invoice" as const, id: key, name: key, address, about: `${tenant}, ${period.label}`, rank, at: toAt },
    ];
  });
}
