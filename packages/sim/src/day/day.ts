import { join } from "node:path";
import {
  type AccountId,
  type Command,
  day,
  type Instant,
  isRefusal,
  type JobId,
  minute,
  plainPolicy,
  plainTerms,
  type Refusal,
  second,
  unitsPerGpu,
  usualHandover,
} from "@tessera/core";
import {
  declareNodes,
  keepRunning,
  SimulatedClock,
  SimulatedEngine,
  SimulatedFleet,
  seededRandom,
} from "@tessera/engine-simulated";
import {
  Collector,
  type Done,
  type PrivateWrite,
  personRow,
  runningFileIn,
  type Store,
  telemetryFolderIn,
} from "@tessera/server";
import { openUnsyncedSqliteStore } from "@tessera/server/testing/unsynced-store";
import { openTelemetry, type TelemetryStore } from "@tessera/telemetry";
import type { Arrival } from "../simulate/setting.ts";
import { VirtualControlPlane } from "../virtual/control-plane.ts";
import { jobsOf, people, type Tenant, tenantsOf, userId } from "./demand.ts";
import { Faults } from "./faults.ts";
import { Members } from "./members.ts";
import { budgetOf, pricesFrom } from "./prices.ts";

export interface DayAsk {
  readonly data: string;
  readonly gpus: number;
  /** How many days are written; one where it is left out. */
  readonly days?: number;
  readonly seed: number;
  /** The end of the last day. */
  readonly untilAt: Instant;
  readonly progress: (passedMs: number, what: string) => void;
}

export interface DayFigures {
  readonly gpus: number;
  readonly from: string;
  readonly to: string;
  readonly jobs: number;
  readonly submitted: number;
  readonly ended: number;
  readonly runningAtEnd: number;
  readonly waitingAtEnd: number;
  readonly preemptions: number;
  readonly nodesLost: number;
  /** What the kernels of nodes said about GPUs. */
  readonly findings: number;
  readonly samples: number;
  readonly rowsOfJournal: number;
  readonly wallS: number;
}

export const gpusPerNode = 8;
const engineName = "day";
const model = "H100";
/** Between two samples of a GPU. */
export const everyMs = 15 * minute;
/** The store holds so many samples and batches in memory before it must write them. */
const unwrittenMax = 400_000;
const batchesMax = 24;
/**
 * Jobs come and end on beats, further apart the more days are written. What happens at one instant is one batch, as on
 * a busy server; a batch for each of a hundred thousand ends takes minutes more.
 */
const beatMsOf = (days: number) => Math.min(days * 10 * second, 2 * minute);
/** Between two snapshots, as a server that is up all day writes them: a look back replays no more than this. */
const snapshotEveryMs = 60 * minute;

/** Lives through a day with the server's own writer and driver, into a data folder that the server opens. */
export async function writeDay(ask: DayAsk): Promise<DayFigures> {
  const begun = performance.now();
  const story = await Day.open(ask);
  await story.prepare();
  await story.live();
  const figures = await story.close();
  return { ...figures, wallS: Math.round((performance.now() - begun) / 1_000) };
}

class Day {
  readonly #ask: DayAsk;
  readonly #days: number;
  readonly #startAt: Instant;
  readonly #clock: SimulatedClock;
  readonly #store: Store;
  readonly #telemetry: TelemetryStore;
  readonly #control: VirtualControlPlane;
  readonly #members: Members;
  readonly #fleet: SimulatedFleet;
  readonly #engine: SimulatedEngine;
  readonly #tenants: readonly Tenant[];
  readonly #faults: Faults;
  readonly #counts = { jobs: 0, submitted: 0, ended: 0, preemptions: 0, samples: 0, rowsOfJournal: 0 };

  private constructor(ask: DayAsk, store: Store) {
    const { gpus, days = 1, untilAt, seed, data } = ask;
    this.#ask = ask;
    this.#store = store;
    this.#days = days;
    this.#startAt = untilAt - days * day;
    this.#tenants = tenantsOf(gpus);
    const clock = new SimulatedClock(this.#startAt);
    this.#clock = clock;
    this.#telemetry = openTelemetry({ dir: telemetryFolderIn(data), warn: (text) => ask.progress(0, text) });
    this.#control = new VirtualControlPlane(clock, store);
    const members = new Members(this.#control.state);
    this.#members = members;
    this.#fleet = new SimulatedFleet({
      clock,
      nodes: declareNodes({
        ...{ engine: engineName, count: gpus / gpusPerNode, gpusEach: gpusPerNode, model, prefix: model.toLowerCase() },
      }),
      behaviour: (order) => members.behaviourOf(order),
    });
    this.#engine = new SimulatedEngine(this.#fleet, engineName);
    this.#faults = new Faults({
      ...{ clock, state: this.#control.state, fleet: this.#fleet, engine: this.#engine, random: seededRandom(seed) },
      ...{ ask: (command) => this.#do(command), warn: (text) => ask.progress(0, text) },
    });
  }

  static async open(ask: DayAsk): Promise<Day> {
    const opened = new Day(ask, await openUnsyncedSqliteStore(join(ask.data, "store")));
    await opened.#control.drive(opened.#engine);
    const counts = opened.#counts;
    opened.#control.follow({
      before: (event) => {
        if (event.kind === "job-submitted") counts.submitted++;
        else if (event.kind === "job-ended") counts.ended++;
        else if (event.kind === "job-requeued" && event.cause === "preempted") counts.preemptions++;
      },
      after: ({ seq }) => {
        counts.rowsOfJournal = seq;
      },
    });
    return opened;
  }

  /** The fleet, its tenants with their guarantees, people and prices. */
  async prepare(): Promise<void> {
    const { gpus } = this.#ask;
    const terms = {
      kind: "simulated",
      lostAfterMs: 0,
      settings: { fleet: `${gpus / gpusPerNode}x${gpusPerNode}:${model}` },
    } as const;
    void this.#do({ kind: "engine.create", name: engineName, terms });
    void this.#do({ kind: "policy.set", policy: { ...plainPolicy, ...usualHandover, rebalance: "off" } });
    void this.#do({ kind: "price.add", version: pricesFrom(this.#startAt) });
    void this.#do({ kind: "node.register", engine: engineName, nodes: this.#fleet.nodes() });
    const teams = this.#tenants.flatMap((tenant) => tenant.teams);
    const each = Math.floor(gpus / 2 / teams.length);
    for (const tenant of this.#tenants) {
      this.#account(tenant.path, each * tenant.teams.length);
      for (const team of tenant.teams) this.#account(team, each);
      void this.#do({ kind: "budget.set", budget: budgetOf(tenant.path, each * tenant.teams.length) });
    }
    for (const team of teams) for (const name of people) this.#person(team, name);
    await this.#settle();
  }

  async live(): Promise<void> {
    const { untilAt, gpus, seed, progress } = this.#ask;
    const span = { startAt: this.#startAt, days: this.#days };
    for (const job of jobsOf(this.#tenants, gpus, span, seed)) this.#arrives(job);
    for (let from = this.#startAt; from < untilAt; from += day) this.#faults.arrange({ from, to: from + day });
    const collector = new Collector({
      ...{ engines: () => [this.#engine], state: this.#control.state, now: () => this.#clock.now(), everyMs },
      ...{ store: this.#telemetry, warn: (text) => progress(0, text) },
    });
    let unwritten = 0;
    for (let at = this.#startAt + everyMs; at <= untilAt; at += everyMs) {
      if (!(await this.#control.advanceTo(at))) throw new Error(`no rest before ${new Date(at).toISOString()}`);
      await this.#settle();
      await collector.collect();
      this.#counts.samples += gpus;
      unwritten += gpus;
      if (unwritten >= unwrittenMax || at === untilAt || (at - this.#startAt) % (batchesMax * everyMs) === 0) {
        await this.#telemetry.flush();
        unwritten = 0;
      }
      if ((at - this.#startAt) % snapshotEveryMs === 0) await this.#control.snapshot();
      progress(at - this.#startAt, `${this.#counts.submitted} jobs submitted, ${this.#counts.ended} ended`);
    }
  }

  /** What runs goes on in the server that opens the folder, and what waits waits there. */
  async close(): Promise<Omit<DayFigures, "wallS">> {
    const jobs = [...this.#control.state.jobs.values()];
    const waitingAtEnd = jobs.filter((job) => job.state === "waiting").length;
    const runningAtEnd = jobs.filter((job) => job.state === "running").length;
    keepRunning(this.#fleet, runningFileIn(this.#ask.data, engineName));
    await this.#telemetry.close();
    await this.#store.close();
    const { gpus, untilAt } = this.#ask;
    const [from, to] = [this.#startAt, untilAt].map((at) => new Date(at).toISOString()) as [string, string];
    return { gpus, from, to, ...this.#counts, ...this.#faults.counts, runningAtEnd, waitingAtEnd };
  }

  #arrives({ account, user, spec, submitAt, runMs }: Arrival): void {
    const id = `job_${(++this.#counts.jobs).toString(36).padStart(16, "0")}` as JobId;
    const beatMs = beatMsOf(this.#days);
    const at = Math.min(Math.ceil(submitAt / beatMs) * beatMs, this.#ask.untilAt);
    this.#members.add(id, Math.ceil(runMs / beatMs) * beatMs);
    this.#clock.at(
      at,
      () => void this.#do({ kind: "job.submit", id, account, user: userId(user ?? ""), spec, endedBefore: [] }),
    );
  }

  #account(path: string, gpus: number): void {
    const quota = { guarantee: { "*": gpus * unitsPerGpu }, weight: 1 };
    const id = `acc_${path.replace("/", "")}` as AccountId;
    void this.#do({ kind: "account.create", id, path, terms: { ...plainTerms, quota } });
  }

  #person(team: string, name: string): void {
    const user = userId(`${team}/${name}`);
    void this.#do({ kind: "user.create", user, first: { role: "member", account: team } }, [
      personRow(user, { name: `${name}.${team.replace("/", ".")}` }),
    ]);
  }

  async #do(command: Command, privates: readonly PrivateWrite[] = []): Promise<Done | Refusal> {
    const answer = await this.#control.ask(command, privates);
    if (isRefusal(answer)) this.#refused ??= `${command.kind}: ${answer.field} ${answer.value} ${answer.detail}`;
    return answer;
  }

  #refused: string | undefined;

  async #settle(): Promise<void> {
    if (!(await this.#control.settle())) throw new Error("the day does not come to rest");
    if (this.#refused !== undefined) throw new Error(this.#refused);
  }
}
