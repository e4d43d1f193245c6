import { noSlot } from "../../collections/slots.ts";
import { holdOf } from "../../fleet/mode.ts";
import { canonicalJson } from "../../journal/canonical.ts";
import type { ArrivalsImage } from "../../learn/arrivals.ts";
import type { History } from "../../learn/history.ts";
import type { Lengths } from "../../learn/lengths.ts";
import type { Pace } from "../../learn/pace.ts";
import type { Token, User } from "../../model/access.ts";
import type { Account } from "../../model/account.ts";
import type { EngineState } from "../../model/engine.ts";
import type { Exchange } from "../../model/exchange.ts";
import type { AccountNo, GpuNo, JobNo, NodeNo, TokenId, UserId } from "../../model/ids.ts";
import type { Job, JobArray } from "../../model/job.ts";
import type { FleetNode } from "../../model/node.ts";
import type { Policy } from "../../model/policy.ts";
import type { Pool } from "../../model/pool.ts";
import type { Provider } from "../../model/provider.ts";
import type { NodeRemainder } from "../../model/remainder.ts";
import type { Volume } from "../../model/volume.ts";
import { nothingUsed } from "../../quota/held.ts";
import { addWindowTimers, countTerms } from "../apply/accounts.ts";
import { noteMoves } from "../apply/claims.ts";
import { restoreDedicated } from "../apply/dedicated.ts";
import { countUnmade } from "../apply/elements.ts";
import { keep } from "../apply/engines.ts";
import { addJob } from "../apply/enter.ts";
import { holdLease } from "../apply/leases.ts";
import { readMarks, writeMarks } from "../apply/marks.ts";
import { lookAtPrices } from "../apply/money.ts";
import { noteNode, planWindows } from "../apply/nodes.ts";
import { matchPools } from "../apply/pools.ts";
import { emptyState } from "../empty.ts";
import type { FormerAccount } from "../former.ts";
import type { Round } from "../indexes/waiting.ts";
import { noRound } from "../indexes/waiting.ts";
import { jobOf } from "../live-jobs.ts";
import type { GpuTimeWindow, State, UsedKey } from "../state.ts";
import { type BooksImage, booksImage, hasBooks, readBooks } from "./books-image.ts";
import { type HealthImage, healthImage, readHealth } from "./health-image.ts";
import { readTrail, type TrailImage, trailImage } from "./trail-image.ts";

/** Version of `Image`. A snapshot of another version is ignored: the journal can always be replayed. */
export const snapshotSchema = 9;

type NodeImage = Omit<
  FleetNode,
  "own" | "mode" | "sharing" | "freeCpusMilli" | "freeMemoryMiB" | "leavingCpusMilli" | "leavingMemoryMiB" | "leases"
> &
  FleetNode["own"];

interface Image {
  readonly lastAt: number;
  readonly epoch: number;
  readonly nextJob: number;
  readonly policy: Policy;
  readonly movedAt?: readonly number[];
  readonly accounts: readonly (Account | null)[];
  /** Absent where no account was deleted. */
  readonly former?: readonly (readonly [string, FormerAccount[]])[];
  /** A number stands for a node that was removed: how many GPU numbers it keeps. */
  readonly nodes: readonly (NodeImage | number)[];
  readonly models: readonly string[];
  /** Engines by number, and that of each model; absent where all that was ever there is of the first node's engine. */
  readonly fleetEngines?: readonly string[];
  readonly modelEngine?: readonly number[];
  /** Absent where there are none. */
  readonly engines?: readonly EngineState[];
  readonly pools?: readonly Pool[];
  readonly providers?: readonly Provider[];
  readonly exchanges?: readonly Exchange[];
  readonly users: readonly User[];
  readonly tokens: readonly Token[];
  readonly secrets: readonly (readonly [string, number])[];
  /** Absent where there are none. */
  readonly volumes?: readonly (readonly [string, Volume])[];
  /** Specs once each: the elements of an array share theirs. */
  readonly specs: readonly Job["spec"][];
  readonly jobs: readonly (Omit<Job, "spec" | "slot"> & { readonly spec: number })[];
  readonly arrays: readonly (Omit<JobArray, "spec"> & { readonly spec: number })[];
  readonly keys: readonly (readonly [string, UsedKey])[];
  readonly gpuTime: readonly (readonly [AccountNo, GpuTimeWindow])[];
  /** Absent where no tenant is confidential. */
  readonly dedicated?: readonly (readonly [NodeNo, AccountNo])[];
  /** Absent where no tenant is confidential. */
  readonly rest?: readonly (readonly [GpuNo, NodeRemainder])[];
  /** Absent where no GPU is shared. */
  readonly partsChangedAt?: readonly (readonly [number, number])[];
  /** Absent where no GPU has any. */
  readonly marks?: readonly (readonly [number, number, number])[];
  /** Absent where the books are empty. */
  readonly books?: BooksImage;
  /** Absent where nothing was ever found. */
  readonly health?: HealthImage;
  /** Absent where nothing is known. */
  readonly trail?: TrailImage;
  /** Absent where no account uses past usage. */
  readonly history?: readonly (readonly [AccountNo, History])[];
  /** Absent where nothing has been submitted. */
  readonly arrivals?: ArrivalsImage;
  /** Absent where no account orders by it. */
  readonly pace?: readonly (readonly [AccountNo, Pace])[];
  /** Absent where no job has ended. */
  readonly runTimes?: readonly (readonly [string, readonly number[]])[];
  /** Jobs with a planned start, and jobs with a claim, in order; absent where there are none. */
  readonly planned?: readonly JobNo[];
  readonly claimants?: readonly JobNo[];
  /** Absent where no round of turns is under way. */
  readonly round?: Round;
  /** Absent where no account's order may evict. */
  readonly lengths?: readonly (readonly [AccountNo, Lengths])[];
  readonly dependents: readonly (readonly [JobNo, readonly { job: JobNo; when: "succeeded" | "ended" }[]])[];
}

/** The state as canonical text: equal states have equal text, so its hash is the state's hash. */
export function writeSnapshot(state: State): string {
  const specs = new Map<Job["spec"], number>();
  const specNo = (spec: Job["spec"]): number => {
    const known = specs.get(spec);
    if (known !== undefined) return known;
    specs.set(spec, specs.size);
    return specs.size - 1;
  };
  const byNo = <Entry extends { readonly no: number }>(entries: Iterable<Entry>) =>
    [...entries].sort((a, b) => a.no - b.no);
  const byKey = <Key extends string | number, Value>(map: Map<Key, Value>) =>
    [...map].sort(([a], [b]) => (a < b ? -1 : 1));
  const { fleet } = state;
  const marks = writeMarks(state);
  const arrivals = state.arrivals.image();
  const runTimes = state.runTimes.image();
  const trail = trailImage(state.trail);
  const health = healthImage(state);
  const image: Image = {
    lastAt: state.lastAt,
    epoch: state.epoch,
    nextJob: state.nextJob,
    policy: state.policy,
    ...(state.movedAt.length > 0 && { movedAt: state.movedAt }),
    accounts: state.accounts.map((account) => account ?? null),
    ...(state.former.size > 0 && { former: byKey(state.former) }),
    nodes: fleet.nodes.map((node, no) => {
      if (node === undefined)
        return fleet.gpuNode.subarray(0, fleet.gpus).reduce((sum, of) => sum + (of === no ? 1 : 0), 0);
      const { own, sharing, freeCpusMilli, freeMemoryMiB, leavingCpusMilli, leavingMemoryMiB, leases, ...rest } = node;
      return { ...rest, ...own };
    }),
    models: fleet.models,
    ...(!isOfOneEngine(fleet) && { fleetEngines: fleet.engines, modelEngine: fleet.modelEngine }),
    ...(state.engines.size > 0 && { engines: byKey(state.engines).map(([, engine]) => engine) }),
    ...(state.pools.size > 0 && { pools: byKey(state.pools).map(([, pool]) => pool) }),
    ...(state.providers.size > 0 && { providers: byKey(state.providers).map(([, provider]) => provider) }),
    ...(state.exchanges.size > 0 && { exchanges: byKey(state.exchanges).map(([, exchange]) => exchange) }),
    users: byKey(state.users).map(([, user]) => user),
    tokens: byKey(state.tokens).map(([, token]) => token),
    secrets: byKey(state.secrets),
    ...(state.volumes.size > 0 && { volumes: byKey(state.volumes) }),
    arrays: byNo(state.arrays.values()).map((array) => ({ ...array, spec: specNo(array.spec) })),
    jobs: byNo(state.jobs.values()).map(({ slot, ...job }) => ({ ...job, spec: specNo(job.spec) })),
    specs: [...specs.keys()],
    keys: [...state.keys],
    gpuTime: byKey(state.gpuTime),
    ...(state.dedicated.size > 0 && { dedicated: byKey(state.dedicated) }),
    ...(hasBooks(state.books) && { books: booksImage(state.books) }),
    ...(health !== undefined && { health }),
    ...(trail !== undefined && { trail }),
    ...(state.history.size > 0 && { history: byKey(state.history) }),
    ...(state.rest.size > 0 && { rest: byKey(state.rest) }),
    ...(marks.length > 0 && { marks }),
    ...(fleet.partsChangedAt.size > 0 && { partsChangedAt: byKey(fleet.partsChangedAt) }),
    ...(arrivals !== undefined && { arrivals }),
    ...(state.pace.size > 0 && { pace: byKey(state.pace) }),
    ...(runTimes.length > 0 && { runTimes }),
    ...(state.planned.size > 0 && { planned: [...state.planned].map(({ no }) => no) }),
    ...(state.claimants.size > 0 && { claimants: [...state.claimants].map(({ no }) => no) }),
    ...(state.waiting.round !== noRound && { round: state.waiting.round }),
    ...(state.lengths.size > 0 && { lengths: byKey(state.lengths) }),
    dependents: byKey(state.dependents),
  };
  return canonicalJson(image);
}

function isOfOneEngine({ engines, nodes }: State["fleet"]): boolean {
  const [only, ...others] = engines;
  return others.length === 0 && only === nodes.find((node) => node !== undefined)?.facts.engine;
}

function readEngines(fleet: State["fleet"], { fleetEngines, modelEngine = [], models, nodes }: Image): void {
  const first = nodes.find((node) => typeof node !== "number");
  for (const engine of fleetEngines ?? (first === undefined ? [] : [first.facts.engine])) fleet.engineNo(engine);
  for (const [no, model] of models.entries()) fleet.modelNo(model, modelEngine[no] ?? 0);
}

/** The state that `writeSnapshot` wrote. Indexes are counted again from the facts. */
export function readSnapshot(text: string): State {
  const image = JSON.parse(text) as Image;
  const state = emptyState();
  state.lastAt = image.lastAt;
  state.clock = image.lastAt;
  state.epoch = image.epoch;
  state.nextJob = image.nextJob;
  state.policy = image.policy;
  noteMoves(state, image.movedAt ?? []);
  if (image.books !== undefined) {
    readBooks(state.books, image.books);
    lookAtPrices(state, image.lastAt);
  }
  if (image.health !== undefined) readHealth(state, image.health);
  if (image.trail !== undefined) readTrail(state.trail, image.trail);
  state.accounts.length = 0;
  state.usage.length = 0;
  state.accountByPath.clear();
  state.accountById.clear();
  for (const account of image.accounts) {
    state.accounts.push(account ?? undefined);
    state.usage.push(nothingUsed());
    if (account === null) continue;
    account.liveJobs = 0;
    addWindowTimers(state, account);
    countTerms(state, account.terms, 1);
    state.accountByPath.set(account.path, account);
    state.accountById.set(account.id, account);
  }
  for (const [path, all] of image.former ?? []) state.former.set(path, all);
  const { fleet } = state;
  for (const engine of image.engines ?? []) {
    keep(state, engine);
    fleet.holdEngine(engine.name, holdOf(engine), image.lastAt);
  }
  readEngines(fleet, image);
  for (const [no, node] of image.nodes.entries()) {
    if (typeof node === "number") {
      fleet.skipRemoved(node);
      continue;
    }
    fleet.addNode(node.no, node.firstGpu, node.facts, node.addedAt);
    fleet.changeNode(node.no, node.changedAt, node.mode, node.reason, node.drainUntil, undefined);
    if (node.maintenance !== undefined) planWindows(state, fleet.nodes[no]!, node.maintenance);
    fleet.nodes[no]!.revision = node.revision;
    noteNode(state, fleet.nodes[no]!);
    if (node.drainUntil > 0) state.timers.add({ at: node.drainUntil, kind: "drain", subject: no });
  }
  for (const pool of image.pools ?? []) state.pools.set(pool.name, pool);
  matchPools(state);
  for (const provider of image.providers ?? []) state.providers.set(provider.name, provider);
  for (const exchange of image.exchanges ?? []) state.exchanges.set(exchange.name, exchange);
  for (const user of image.users) state.users.set(user.id as UserId, user);
  for (const token of image.tokens) {
    state.tokens.set(token.id as TokenId, token);
    state.tokenByHash.set(token.hash, token);
  }
  for (const [key, at] of image.secrets) state.secrets.set(key, at);
  for (const [key, volume] of image.volumes ?? []) state.volumes.set(key, volume);
  for (const [key, used] of image.keys) state.keys.set(key, used);
  for (const [account, window] of image.gpuTime) state.gpuTime.set(account, window);
  for (const [job, list] of image.dependents) state.dependents.set(job, [...list]);
  for (const array of image.arrays) {
    const live: JobArray = { ...array, spec: image.specs[array.spec]! };
    state.arrays.set(live.no, live);
    state.arrayById.set(live.id, live);
    countUnmade(state, live);
  }
  for (const { spec, ...rest } of image.jobs) {
    const job: Job = { ...rest, slot: noSlot, spec: image.specs[spec]! };
    addJob(state, job);
    for (const lease of job.leases) holdLease(state, job, lease);
  }
  if (image.round !== undefined) state.waiting.round = image.round;
  for (const no of image.planned ?? []) state.planned.add(jobOf(state, no));
  state.claimants.clear();
  for (const no of image.claimants ?? []) state.claimants.add(jobOf(state, no));
  for (const [gpu, at] of image.partsChangedAt ?? []) fleet.partsChangedAt.set(gpu, at);
  readMarks(state, image.marks ?? []);
  restoreDedicated(state, image.dedicated ?? []);
  for (const [gpu, rest] of image.rest ?? []) state.rest.set(gpu, rest);
  // Last, because counting the leases above has written histories too.
  for (const [account, history] of image.history ?? []) state.history.set(account, history);
  if (image.arrivals !== undefined) state.arrivals.restore(image.arrivals);
  state.runTimes.restore(image.runTimes ?? []);
  for (const [account, pace] of image.pace ?? []) state.pace.set(account, pace);
  for (const [account, lengths] of image.lengths ?? []) state.lengths.set(account, lengths);
  return state;
}
