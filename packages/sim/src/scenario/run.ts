import assert from "node:assert/strict";
import {
  type AccountId,
  type AccountTerms,
  type Command,
  durationText,
  type Instant,
  type Isolation,
  isRefusal,
  type JobId,
  plainTerms,
  type Refusal,
  type Rehearsal,
  refuse,
  rehearse,
  type State,
  type UserId,
  writeSnapshot,
} from "@tessera/core";
import { SimulatedClock, type SimulatedFleet } from "@tessera/engine-simulated";
import { VirtualControlPlane } from "../virtual/control-plane.ts";
import { type Miss, missesOf } from "./check.ts";
import { ScenarioEngine } from "./engine.ts";
import { engineCommands } from "./engine-turns.ts";
import { healthCommand } from "./health.ts";
import { openMachines } from "./machines.ts";
import { namesOf } from "./parse-job.ts";
import { policyCommand, poolCommand } from "./policy.ts";
import type { Scenario, ScenarioAccount, ScenarioJob, Step, StepInput } from "./scenario.ts";
import { Story, type StoryEvent } from "./story.ts";
import { specOf } from "./submit.ts";

export interface Failure extends Miss {
  /** Milliseconds from the start of the scenario. */
  readonly at: number;
}

export interface ScenarioRun {
  readonly name: string;
  readonly ok: boolean;
  /** It came to rest at every instant. */
  readonly settled: boolean;
  readonly failures: readonly Failure[];
  readonly events: readonly StoryEvent[];
}

/** Any instant except 0, which means "never" in the core. */
const startAt = Date.UTC(2026, 0, 1);
const user = "usr_scenario" as UserId;

/** Called with the state once a step has come to rest. */
export type Look = (step: Step, state: State, now: Instant) => void;

/** Runs a scenario on the real core and the server's writer and driver, in virtual time. */
export async function runScenario(scenario: Scenario, look?: Look): Promise<ScenarioRun | Refusal> {
  const run = new Run(scenario);
  const refusal = await run.setUp();
  if (refusal !== undefined) return refusal;
  let settled = true;
  for (const [i, step] of scenario.steps.entries()) {
    const outcome = await run.step(step, i);
    if (isRefusal(outcome)) return outcome;
    settled = outcome;
    if (!settled) break;
    look?.(step, run.state, run.now);
  }
  const { failures, story } = run;
  const { name } = scenario;
  return { name, ok: failures.length === 0, settled, failures, events: story.events };
}

class Run {
  readonly failures: Failure[] = [];
  readonly story = new Story(startAt, (id) => this.#names.get(id)!);
  readonly #scenario: Scenario;
  readonly #control = new VirtualControlPlane(new SimulatedClock(startAt));
  readonly #fleet: SimulatedFleet;
  readonly #engine: ScenarioEngine;
  readonly #names = new Map<JobId, string>();
  readonly #ids = new Map<string, JobId>();
  readonly #groups = new Map<string, string[]>();
  /** By id: jobs, and elements of arrays. */
  readonly #jobs = new Map<JobId, ScenarioJob>();
  readonly #downNodes = new Set<string>();
  /** How many events of the story the last expectation has covered. */
  #told = 0;

  constructor(scenario: Scenario) {
    this.#scenario = scenario;
    const { clock, state } = this.#control;
    this.#fleet = openMachines(clock, scenario.nodes, (id) => this.#jobs.get(id)!);
    this.#engine = new ScenarioEngine(this.#fleet, (id) => {
      const lease = state.leases.get(id);
      const cause = lease === undefined ? undefined : state.jobs.get(lease.job)?.stopCause;
      return cause === "preempt" || cause === "move" || cause === "drain" || cause === "unhealthy";
    });
    this.#control.follow(this.story);
  }

  /** The fleet and the accounts, before the first step. */
  async setUp(): Promise<Refusal | undefined> {
    await this.#control.drive(this.#engine);
    const asked = [
      { field: "fleet", command: this.#register() },
      { field: "policy", command: policyCommand(this.#scenario.policy) },
    ];
    for (const account of this.#scenario.accounts) {
      const { path } = account;
      const id = `acc_${asked.length}` as AccountId;
      asked.push({
        field: `accounts.${path}`,
        command: { kind: "account.create", id, path, terms: termsOf(account) },
      });
    }
    for (const pool of this.#scenario.pools) asked.push({ field: `pools.${pool.name}`, command: poolCommand(pool) });
    return this.#askAll(asked);
  }

  get state(): State {
    return this.#control.written;
  }

  get now(): Instant {
    return this.#control.clock.now();
  }

  /** One instant: inputs, rest, expectations. False: it does not come to rest. */
  async step(step: Step, index: number): Promise<boolean | Refusal> {
    const control = this.#control;
    if (!(await control.advanceTo(startAt + step.atMs))) return this.#restless();
    const answers = step.inputs.map((input) => this.#give(input, `steps.${index}`));
    if (!(await control.settle())) return this.#restless();
    const refusal = (await Promise.all(answers)).find((answer) => answer !== undefined);
    if (refusal !== undefined) return refusal;
    assert.equal(
      writeSnapshot(control.state),
      writeSnapshot(control.written),
      "the events do not give the state (S26)",
    );
    if (step.expect === undefined) return true;
    const recent = this.story.events.slice(this.#told).filter((event) => event.kind === "evicted");
    this.#told = this.story.events.length;
    const outlook = {
      state: control.written,
      now: control.clock.now(),
      ids: this.#ids,
      groups: this.#groups,
      over: this.story.over,
      evicted: new Set(recent.map((event) => event.job)),
      startAt,
      rehearse: (job: ScenarioJob) => this.#rehearse(job),
      offers: (isolation: Isolation) => isolation === "any" || this.#engine.capabilities.isolation.includes(isolation),
    };
    for (const miss of missesOf(step.expect, outlook)) this.failures.push({ at: step.atMs, ...miss });
    return true;
  }

  #rehearse(job: ScenarioJob): Rehearsal | Refusal {
    const { state, now } = this;
    const spec = specOf(job, this.#scenario.policy, this.#engine.capabilities);
    if (isRefusal(spec)) return spec;
    return rehearse(state, state.accountByPath.get(job.account)!.no, user, spec, now);
  }

  #restless(): false {
    const at = this.#control.clock.now() - startAt;
    this.failures.push({ at, what: "settled", expected: true, got: false });
    return false;
  }

  /** Gives one input. Answers the refusal where the file requests something impossible. */
  #give(input: StepInput, step: string): Promise<Refusal | undefined> {
    switch (input.kind) {
      case "submit":
        return this.#submit(input.job);
      case "cancel":
        return this.#cancel(input.job);
      case "fault":
        return this.#fault(input.job, `${step}.fault`);
      case "idle":
        return this.#idle(input);
      case "node":
        return this.#turnNode(input, `${step}.node.${input.node}`);
      case "engine":
        return this.#askAll(
          engineCommands(this.state, input).map((command) => ({ field: `${step}.engine.${input.engine}`, command })),
          false,
        );
      case "maintenance":
        return this.#askAll([{ field: `${step}.node.${input.node}`, command: maintenanceCommand(input) }], false);
      case "finding":
      case "checks":
        return this.#askAll([{ field: `${step}.node.${input.node}`, command: healthCommand(input, this.now) }], false);
      case "quota":
        return this.#askAll(
          input.accounts.map((account) => ({
            field: `${step}.quota.${account.path}`,
            command: input.untilMs === undefined ? editCommand(account) : this.#windowCommand(account, input.untilMs),
          })),
          false,
        );
    }
  }

  async #submit(job: ScenarioJob): Promise<undefined> {
    const id = `job_${this.#jobs.size + 1}` as JobId;
    const names = namesOf(job);
    this.#groups.set(job.group, [...(this.#groups.get(job.group) ?? []), ...names]);
    this.#note(id, job.name, job);
    for (const [i, name] of names.entries()) {
      if (job.array === undefined) continue;
      const runsMs = job.runsEachMs?.[i] ?? job.runsMs;
      this.#note(`${id}.${job.array.indexes[i]}` as JobId, name, { ...job, runsMs });
    }
    const at = this.#control.clock.now();
    const spec = specOf(job, this.#scenario.policy, this.#engine.capabilities);
    const { account } = job;
    const answer = isRefusal(spec)
      ? spec
      : await this.#control.ask({ kind: "job.submit", id, account, user, spec, endedBefore: [] });
    if (isRefusal(answer)) for (const name of names) this.story.refused(name, answer, at, true);
  }

  #note(id: JobId, name: string, job: ScenarioJob): void {
    this.#names.set(id, name);
    this.#ids.set(name, id);
    this.#jobs.set(id, job);
  }

  /** Whether a job has ended before its cancel depends on the scheduler, so a refusal is part of the story. */
  async #cancel(name: string): Promise<undefined> {
    const at = this.#control.clock.now();
    const answer = await this.#control.ask({ kind: "job.cancel", job: this.#ids.get(name)! });
    if (isRefusal(answer)) this.story.refused(name, answer, at, false);
  }

  async #fault(name: string, field: string): Promise<Refusal | undefined> {
    const lease = this.state.jobById.get(this.#ids.get(name)!)?.leases[0];
    if (lease === undefined)
      return refuse("invalid", field, name, "holds no GPU at this step", "let it fault while it runs");
    this.#fleet.fault(lease.id);
    return undefined;
  }

  /** The server tells the core what it has measured. */
  async #idle({ job: name, forMs }: Extract<StepInput, { kind: "idle" }>): Promise<undefined> {
    const job = this.state.jobById.get(this.#ids.get(name)!);
    if (job === undefined) return;
    const since = this.#control.clock.now() - forMs;
    await this.#control.ask({ kind: "job.idle", job: job.id, attempt: job.attempt, since, activity: 0 });
  }

  #turnNode({ node, to }: Extract<StepInput, { kind: "node" }>, field: string): Promise<Refusal | undefined> {
    const reason = "the scenario says so";
    const commands: Command[] = [];
    switch (to) {
      case "down":
        if (!this.#downNodes.has(node)) this.#fleet.loseNode(node);
        this.#downNodes.add(node);
        commands.push({ kind: "node.down", node, reason });
        break;
      case "up":
        // A machine that comes back has restarted, and its engine reports that.
        if (this.#downNodes.delete(node)) {
          this.#fleet.returnNode(node);
          commands.push(this.#register());
        }
        commands.push({ kind: "node.up", node });
        break;
      case "drain":
        // A cordon would leave its jobs running; a drain empties the node.
        commands.push({ kind: "node.drain", node, reason, until: this.#control.clock.now() });
        break;
      case "cordon":
        commands.push({ kind: "node.cordon", node, reason });
        break;
    }
    return this.#askAll(
      commands.map((command) => ({ field, command })),
      false,
    );
  }

  /** The account's quota from now until an instant of the scenario. */
  #windowCommand(account: ScenarioAccount, untilMs: number): Command {
    const window = { from: this.now, to: startAt + untilMs, quota: termsOf(account).quota };
    return { kind: "account.window", path: account.path, window };
  }

  #register(): Command {
    return { kind: "node.register", nodes: this.#fleet.nodes() };
  }

  /** Sends all commands at once; answers the first refusal, with the field as the file names it. */
  async #askAll(
    asked: readonly { readonly field: string; readonly command: Command }[],
    settle = true,
  ): Promise<Refusal | undefined> {
    const answers = asked.map(({ command }) => this.#control.ask(command));
    if (settle) await this.#control.settle();
    for (const [i, answer] of (await Promise.all(answers)).entries()) {
      if (!isRefusal(answer)) continue;
      const { field } = asked[i]!;
      if (termField.test(answer.field)) return { ...answer, field: `${field}.${answer.field}` };
      if (!instantField.test(answer.field)) return { ...answer, field };
      return { ...answer, field, value: durationText(Date.parse(String(answer.value)) - startAt) };
    }
    return undefined;
  }
}

function editCommand(account: ScenarioAccount): Command {
  return { kind: "account.edit", path: account.path, terms: termsOf(account) };
}

function maintenanceCommand({ node, fromMs, untilMs }: Extract<StepInput, { kind: "maintenance" }>): Command {
  const window = { from: startAt + fromMs, to: startAt + untilMs, reason: "the scenario says so" };
  return { kind: "node.maintenance", node, window };
}

/** Fields of a refusal that are fields of an account in the file too. */
const termField = /^(guarantee|max|trust)\b/;
/** Fields of a refusal whose value is an instant; the file counts them from its start. */
const instantField = /^(from|to|window)$/;

/** Guarantees beyond the fleet are allowed in scenarios. */
function termsOf({
  guarantee,
  max,
  lendable,
  weight,
  trust,
  trustGroup,
  order,
  quantumMs,
  historyHalfLifeMs,
  idle,
}: ScenarioAccount): AccountTerms {
  const quota = { guarantee, weight, ...(max && { max }), ...(lendable && { lendable }) };
  const chosen = {
    ...(trustGroup && { trustGroup }),
    ...(order && { order }),
    ...(quantumMs && { quantumMs }),
    ...(historyHalfLifeMs && { historyHalfLifeMs }),
    ...(idle && { idle: { ...idle, gpuBelow: 500 } }),
  };
  return { ...plainTerms, quota, trust, ...chosen, overcommit: true };
}
