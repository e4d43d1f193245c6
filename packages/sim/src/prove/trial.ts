import {
  type AccountId,
  type Command,
  decideBatch,
  type Event,
  emptyState,
  type Input,
  type Instant,
  isRefusal,
  type JobId,
  type JobNo,
  nextDueAt,
  type OperationId,
  plainTerms,
  readSnapshot,
  SchedulerMemory,
  type State,
  type UserId,
  writeSnapshot,
} from "@tessera/core";
import { type Bounds, isCounted, type Played, play, usageOf, type World } from "@tessera/oracle";
import { engineCommands } from "../scenario/engine-turns.ts";
import { factsOf } from "../scenario/machines.ts";
import { namesOf } from "../scenario/parse-job.ts";
import { policyCommand, poolCommand } from "../scenario/policy.ts";
import type { NodeTurn, Scenario, ScenarioAccount, ScenarioJob, Step, StepInput } from "../scenario/scenario.ts";
import { specOf } from "../scenario/submit.ts";
import { InstantEngine } from "./engine.ts";
import { type Finding, Watch } from "./watch.ts";
import { gpusOf, worldOf } from "./world.ts";

export interface Trial {
  /** Events that the core decided. */
  readonly events: number;
  readonly finding?: Finding & { readonly atMs: number };
}

/** Any instant but 0, which the core reads as "never". */
const startAt = Date.UTC(2026, 0, 1);
const user = "usr_prove" as UserId;
const capabilities = { images: false, isolation: ["whole", "mig", "mps", "timeslice"], workdir: false } as const;
/** More batches than this at one instant are an exchange without end. */
const batchesMax = 300;

/** How a scenario is played. */
export interface Play {
  readonly bounds: Bounds;
  /** The state is written out and read back before each batch, as a restart of the server does. */
  readonly restarts: boolean;
}

/** Plays a scenario on the real core with an instant engine and has every decision judged; stops at the first fault. */
export function runTrial(scenario: Scenario, play: Play): Trial {
  const trial = new Running(scenario, play);
  try {
    trial.run();
  } catch (error) {
    trial.watch.findings.push({ kind: "threw", what: (error as Error).stack ?? String(error) });
  }
  const finding = trial.watch.findings[0];
  const atMs = trial.now - startAt;
  return { events: trial.events, ...(finding && { finding: { ...finding, atMs } }) };
}

class Running {
  readonly watch: Watch;
  events = 0;
  now = startAt;
  readonly #scenario: Scenario;
  readonly #restarts: boolean;
  #state: State = emptyState();
  #memory = new SchedulerMemory();
  /** Planned starts by job: a restarted scheduler works them out only when something happens. */
  readonly #starts = new Map<JobNo, Instant>();
  readonly #engine: InstantEngine;
  readonly #jobs = new Map<string, ScenarioJob>();
  #operations = 0;
  /** A job was planned in this step: what may start beside it is judged by the plans themselves [B2]. */
  #planned = false;
  /** The world after the inputs of this step and before any decision. */
  #before: World | undefined;
  #evicted: string[] = [];

  constructor(scenario: Scenario, { bounds, restarts }: Play) {
    this.#scenario = scenario;
    this.#restarts = restarts;
    this.watch = new Watch(bounds);
    this.#engine = new InstantEngine({
      // The engine ends jobs that have reached their limits.
      runsMs: ({ spec }) => {
        const { runsMs = Number.POSITIVE_INFINITY } = this.#jobs.get(spec.name)!;
        return Math.min(runsMs, spec.maxTimeMs ?? Number.POSITIVE_INFINITY);
      },
      graceMs: scenario.policy.graceMs,
    });
  }

  run(): void {
    const { nodes, accounts, policy, pools, steps } = this.#scenario;
    this.#batch([
      this.#ask({ kind: "node.register", nodes: nodes.map(factsOf) }),
      this.#ask(policyCommand(policy)),
      ...accounts.map((account, i) =>
        this.#ask({ kind: "account.create", id: `acc_${i}` as AccountId, path: account.path, terms: termsOf(account) }),
      ),
      ...pools.map((pool) => this.#ask(poolCommand(pool))),
    ]);
    for (const step of steps) {
      this.#advanceTo(startAt + step.atMs);
      if (this.watch.findings.length > 0) return;
      this.#step(step);
      if (this.watch.findings.length > 0) return;
    }
  }

  #step(step: Step): void {
    this.#before = undefined;
    this.#planned = false;
    this.#evicted = [];
    this.watch.outside(step.inputs.some((input) => input.kind !== "submit"));
    this.#settle(step.inputs.flatMap((input) => this.#inputs(input)));
    if (this.watch.findings.length > 0 || step.inputs.some((input) => input.kind === "cancel")) return;
    this.#compare();
  }

  /** Where the rules leave no choice, the outcome must be that of the naive model. */
  #compare(): void {
    const before = this.#before;
    if (before === undefined || this.#scenario.policy.graceMs > 0) return;
    if (!isCounted(before) || before.holds.length > 0 || this.#planned) return;
    const played = (["at-once", "together"] as const).map((leave) => play(before, leave));
    if (played.some(({ determined }) => !determined)) return;
    // Which jobs compete while others leave is left open, so one of several claims may have been for nothing.
    const counted = [this.#evicted, ...played.map(({ evicted }) => evicted)].every(({ length }) => length <= 1);
    const got = this.#outcome(before, counted);
    const expected = played.map((each) => outcomeOf(each, counted));
    if (expected.includes(got)) return;
    const model = [...new Set(expected)].join(" or ");
    this.watch.findings.push({ kind: "rule", what: `[T5] comes to rest at ${got}, the model at ${model}` });
  }

  #outcome(before: World, counted: boolean): string {
    const world = worldOf(this.#state, this.now, this.watch.starts);
    const accountOf = new Map([...before.wishes, ...before.holdings].map(({ job, account }) => [job, account]));
    const evicted = this.#evicted.map((job) => ({ account: accountOf.get(job)! }));
    return outcomeOf({ world, evicted: evicted as unknown as Played["evicted"], determined: true }, counted);
  }

  #advanceTo(instant: number): void {
    const timerAt = () => nextDueAt(this.#state, this.#memory) ?? Number.POSITIVE_INFINITY;
    while (this.#engine.nextAt < instant || timerAt() < instant) {
      this.now = Math.max(this.now, Math.min(this.#engine.nextAt, timerAt()));
      this.#settle([]);
      if (this.watch.findings.length > 0) return;
    }
    this.now = instant;
  }

  /** Decides until nothing more happens at this instant. */
  #settle(inputs: readonly Input[]): void {
    let next = inputs;
    for (let batch = 0; batch < batchesMax; batch++) {
      const { inputs: reports, ended } = this.#engine.take(this.now, this.#state);
      if (ended.length > 0) this.watch.outside(false);
      this.#batch([...next, ...reports]);
      next = [];
      if (this.watch.findings.length > 0) return;
      if (this.#engine.nextAt > this.now) {
        this.watch.rest(this.#state, this.now);
        return;
      }
    }
    this.watch.findings.push({ kind: "livelock", what: `[T10] ${batchesMax} batches at one instant` });
  }

  #batch(inputs: readonly Input[]): void {
    if (this.#restarts) {
      this.#state = readSnapshot(writeSnapshot(this.#state));
      this.#memory = new SchedulerMemory();
    }
    const { startsAt } = this.#memory;
    this.watch.starts = (job) => startsAt.get(job) ?? this.#starts.get(job.no);
    this.watch.begin();
    const see = (event: Event, state: State): void => {
      if (isDecision(event)) this.#before ??= worldOf(state, this.now, this.watch.starts);
      this.#planned ||= event.kind === "job-planned";
      if (event.kind === "job-claimed") {
        for (const victim of event.victims) this.#evicted.push(state.jobs.get(victim)!.spec.name);
      }
      this.watch.see(event, state, this.now);
    };
    const { events } = decideBatch(this.#state, inputs, this.now, { memory: this.#memory, see });
    for (const [job, at] of startsAt) this.#starts.set(job.no, at);
    this.events += events.length;
    for (const event of events) this.#engine.obey(event, this.#state);
    if (events.some((event) => event.kind === "job-placed" || event.kind === "job-claimed")) {
      this.watch.changed(this.#state, this.now);
    }
    this.watch.end(this.#state, this.now);
  }

  #inputs(input: StepInput): Input[] {
    switch (input.kind) {
      case "submit":
        return this.#submit(input.job);
      case "cancel":
        return [this.#ask({ kind: "job.cancel", job: idOf(input.job) })];
      case "node":
        return [this.#ask(nodeCommand(input.node, input.to, this.now))];
      case "engine":
        return engineCommands(this.#state, input).map((command) => this.#ask(command));
      case "fault":
        throw new Error("the naive model knows no faults of jobs");
      case "idle":
        throw new Error("the naive model knows no telemetry");
      case "maintenance":
        throw new Error("the naive model knows no maintenance");
      case "finding":
      case "checks":
        throw new Error("the naive model knows no faults");
      case "quota":
        if (input.untilMs !== undefined) throw new Error("the naive model knows no quota for a time");
        return input.accounts.map((account) =>
          this.#ask({ kind: "account.edit", path: account.path, terms: termsOf(account) }),
        );
    }
  }

  #submit(job: ScenarioJob): Input[] {
    const spec = specOf(job, this.#scenario.policy, capabilities);
    if (isRefusal(spec)) return [];
    return namesOf(job).map((name) => {
      this.#jobs.set(name, job);
      const { account } = job;
      return this.#ask({ kind: "job.submit", id: idOf(name), account, user, spec: { ...spec, name }, endedBefore: [] });
    });
  }

  #ask(command: Command): Input {
    const op = `op_${++this.#operations}` as OperationId;
    return { kind: "command", v: 1, op, actor: { user }, request: op, command };
  }
}

function isDecision(event: Event): boolean {
  return event.kind === "job-placed" || event.kind === "job-claimed" || event.kind === "job-classed";
}

/** What each account holds and, where evictions are counted, how many of its jobs were evicted. */
function outcomeOf({ world, evicted }: Played, counted: boolean): string {
  return world.accounts
    .map(({ path }, account) => {
      const gone = evicted.filter((each) => each.account === account).length;
      return `${path}:${gpusOf(usageOf(world, account), world.models.length)}${counted ? `-${gone}` : ""}`;
    })
    .slice(1)
    .join(" ");
}

function idOf(name: string): JobId {
  return `job_${name.replaceAll(/[^a-z0-9]/g, "x")}` as JobId;
}

function nodeCommand(node: string, to: NodeTurn, now: number): Command {
  const reason = "the trial says so";
  if (to === "up") return { kind: "node.up", node };
  return { kind: `node.${to}`, node, reason, ...(to === "drain" && { until: now }) };
}

function termsOf({ guarantee, max, lendable, weight, trust, trustGroup }: ScenarioAccount) {
  const quota = { guarantee, weight, ...(max && { max }), ...(lendable && { lendable }) };
  return { ...plainTerms, quota, trust, ...(trustGroup && { trustGroup }), overcommit: true };
}
