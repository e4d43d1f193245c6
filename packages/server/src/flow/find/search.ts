import { setImmediate } from "node:timers/promises";
import {
  type Account,
  type Job,
  type JobArray,
  nodeName,
  type ReadonlyState,
  rootAccount,
  type User,
} from "@tessera/core";
import type { Action, SearchHit } from "@tessera/wire";
import { rankOf } from "@tessera/wire/match";
import type { People } from "../../access/people.ts";
import { may, maySeeUser, rootsFor } from "../../access/policy.ts";
import { inScope, type Principal } from "../../access/principal.ts";
import { timestamp } from "../../render/quantities.ts";
import type { EndedJobRow } from "../../store/port.ts";
import { Slices } from "../slices.ts";
import { Best, type Ranked } from "./best.ts";
import { belongsTo, type Finder, findJob } from "./find-job.ts";

/** Ended jobs that a search reads, and how many in one read; an exact name or id is found at any age. */
const endedMax = 5_000;
const endedPerRead = 200;
const exactMax = 20;
const invoicesMax = 500;

/** What a caller must be allowed to read for each kind of thing to be found. */
const actionOf: Readonly<Record<SearchHit["kind"], Action>> = {
  account: "account.read",
  job: "job.read",
  node: "node.read",
  engine: "node.read",
  pool: "node.read",
  user: "user.read",
  invoice: "invoice.read",
};

export interface SearchAsk {
  readonly text: string;
  readonly limit: number;
  readonly kind?: SearchHit["kind"] | undefined;
}

/** What this caller may see and that has a text in its name, the best first; with pauses, because names may be very many. */
export async function search(
  finder: Finder & { readonly people: People },
  principal: Principal,
  { text: asked, limit, kind }: SearchAsk,
): Promise<SearchHit[]> {
  const text = asked.trim().toLowerCase();
  if (text === "") return [];
  const { user } = principal;
  const { state } = finder.control;
  // A token finds nothing of a kind that it could not read.
  const isWanted = (one: SearchHit["kind"]) =>
    (kind === undefined || one === kind) && inScope(principal, actionOf[one]);
  const wants = (...some: SearchHit["kind"][]) => some.some(isWanted);
  const best = new Best();
  const slices = new Slices();
  // Names that do not match are given too, as nothing, so that a walk through very many of them can pause.
  for (const found of [
    ...(wants("account") ? [accountsIn(state, user, text)] : []),
    ...(wants("job") ? [liveJobsIn(finder, user, text)] : []),
    ...(wants("node", "engine", "pool") ? [nodesIn(state, text)] : []),
    ...(wants("user") ? [peopleIn(finder, user, text)] : []),
  ]) {
    for (const hit of found) {
      if (hit !== undefined && wants(hit.kind)) best.add(hit);
      if (slices.isOver) await slices.next();
    }
  }
  if (wants("job")) for await (const hit of endedJobsIn(finder, user, text, asked.trim())) best.add(hit);
  if (wants("invoice")) for (const hit of await invoicesIn(finder, user, text)) best.add(hit);
  return best.first(limit);
}

type Found = Generator<Ranked | undefined>;

/** A list as it is now: what is walked through with pauses may change meanwhile. */
function asItIs<Item>(items: Iterable<Item>): readonly Item[] {
  return [...items];
}

function* accountsIn(state: ReadonlyState, user: User, text: string): Found {
  for (const { no, path, createdAt } of asItIs(state.accountByPath.values())) {
    const rank = rankOf(path, text);
    if (rank === undefined || no === rootAccount || !may(state, user, "account.read", no)) {
      yield undefined;
      continue;
    }
    yield { kind: "account", id: path, name: path, address: `/quota/${path}`, about: "account", rank, at: createdAt };
  }
}

function* liveJobsIn({ control: { state }, liveNames }: Finder, user: User, text: string): Found {
  for (const name of asItIs(liveNames.names())) {
    const rank = rankOf(name, text);
    if (rank === undefined) {
      yield undefined;
      continue;
    }
    for (const job of liveNames.named(name))
      yield may(state, user, "job.read", job.account) ? liveHit(state, job, rank) : undefined;
  }
}

function liveHit(state: ReadonlyState, job: Job | JobArray, rank: number): Ranked {
  const { id, account, submittedAt } = job;
  const name = nameOf(job.spec.name, id);
  const doing = "size" in job ? (job.active > 0 ? "running" : "waiting") : job.state;
  const about = `${doing}, ${state.accounts[account]!.path}`;
  const seen = { kind: "job", id, name, address: `/jobs/${id}`, about, submittedAt: timestamp(submittedAt) } as const;
  return { ...seen, state: "held" in job && job.held ? "held" : doing, rank, at: submittedAt };
}

/** An element of an array has the name of the array and its number. */
function nameOf(name: string, id: string): string {
  const dot = id.lastIndexOf(".");
  return dot < 0 ? name : `${name}${id.slice(dot)}`;
}

/** The one with this id, and elements of arrays by the name of the array and their number, such as `sweep.3`. */
async function* namedIn(finder: Finder, user: User, asked: string): AsyncGenerator<Ranked> {
  const [, number] = /[.[](\d{1,7})\]?$/.exec(asked) ?? [];
  if (number === undefined && !asked.startsWith("job_")) return;
  const found = await findJob(finder, user, asked);
  // Several arrays of one name: the element of each.
  const ids = found === undefined || !("several" in found) ? [] : found.several.map(({ id }) => `${id}.${number}`);
  const all = [found, ...(await Promise.all(ids.slice(0, exactMax).map((id) => findJob(finder, user, id))))];
  for (const each of all) {
    if (each === undefined || "several" in each) continue;
    yield "live" in each ? liveHit(finder.control.state, each.live, 0) : endedHit(each.ended, 0);
  }
}

/** The newest ones by a part of their name; by id or whole name however old. */
async function* endedJobsIn(finder: Finder, user: User, text: string, asked: string): AsyncGenerator<Ranked> {
  const { state, reader } = finder.control;
  const roots = rootsFor(state, user, "job.read");
  if (roots.length === 0) return;
  yield* namedIn(finder, user, asked);
  const query = { ...pathsOf(roots), tops: true };
  const hitsIn = (rows: readonly EndedJobRow[]) =>
    rows.flatMap((row) => {
      const rank = rankOf(row.name, text) ?? rankOf(row.id, text);
      const isFound = rank !== undefined && belongsTo(state, roots, row.account, row.submittedAt);
      return isFound ? [endedHit(row, rank)] : [];
    });
  yield* hitsIn(await reader.jobs({ ...query, name: asked, limit: exactMax }));
  for (let after: EndedJobRow | undefined, read = 0; read < endedMax; read += endedPerRead) {
    const rows = await reader.jobs({ ...query, limit: endedPerRead, ...(after !== undefined && { after }) });
    yield* hitsIn(rows);
    if (rows.length < endedPerRead) return;
    after = rows.at(-1)!;
    await setImmediate();
  }
}

/** Ended jobs rank after live jobs with an equal name match. */
function endedHit({ id, name: of, account, outcome, submittedAt }: EndedJobRow, rank: number): Ranked {
  const about = `ended, ${outcome}, ${account}`;
  const name = nameOf(of, id);
  const seen = { kind: "job", id, name, address: `/jobs/${id}`, about, submittedAt: timestamp(submittedAt) } as const;
  return { ...seen, state: "ended", rank: rank + 0.5, at: submittedAt };
}

function pathsOf(roots: readonly Account[]) {
  const some = roots.some(({ path }) => path === "") ? [] : roots;
  return {
    accounts: some.map(({ path }) => path),
    madeAt: new Map(some.map(({ path, createdAt }) => [path, createdAt])),
  };
}

function* nodesIn({ fleet, engines, pools }: ReadonlyState, text: string): Found {
  for (const node of asItIs(fleet.nodes)) {
    const name = node === undefined ? "" : nodeName(fleet, node);
    const rank = rankOf(name, text);
    if (node === undefined || rank === undefined) {
      yield undefined;
      continue;
    }
    const about = `${node.mode}, ${node.facts.gpus.length} × ${node.facts.gpus[0]?.model ?? "no GPU"}`;
    const address = `/nodes/${name.split("/").map(encodeURIComponent).join("/")}`;
    yield { kind: "node", id: name, name, address, about, state: node.mode, rank, at: 0 };
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
): Found {
  for (const other of asItIs(state.users.values())) {
    const person = people.person(other.id);
    const rank = person && (rankOf(person.name, text) ?? rankOf(person.email ?? "", text));
    if (person === undefined || rank === undefined || !maySeeUser(state, user, other)) {
      yield undefined;
      continue;
    }
    const address = other === user ? "/people/me" : `/people/${other.id}`;
    const about = person.email ?? (other.disabled ? "disabled" : "person");
    const seen = { kind: "user", id: other.id, name: person.name, address, about } as const;
    yield { ...seen, ...(other.disabled && { state: "disabled" }), rank, at: other.createdAt };
  }
}

async function invoicesIn({ control: { state, reader } }: Finder, user: User, text: string): Promise<Ranked[]> {
  const roots = rootsFor(state, user, "invoice.read");
  const tenants = roots.map(({ path }) => path).filter((path) => !path.includes("/"));
  if (tenants.length === 0) return [];
  const all = tenants.includes("");
  const rows = await reader.bookPage({ kind: "invoice", ...(!all && { tenants }), limit: invoicesMax });
  return rows.flatMap(({ key, tenant, toAt, doc }) => {
    const rank = rankOf(key, text) ?? rankOf(tenant, text);
    if (rank === undefined || !belongsTo(state, roots, tenant, toAt - 1)) return [];
    const { period } = JSON.parse(doc) as { readonly period: { readonly label: string } };
    const address = `/invoices/${encodeURIComponent(tenant)}/${period.label}`;
    return [
      { kind: "invoice" as const, id: key, name: key, address, about: `${tenant}, ${period.label}`, rank, at: toAt },
    ];
  });
}
