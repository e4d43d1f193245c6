import { BadField, type FieldPath, Fields, knownName, listOf, mapOf } from "./fields.ts";
import { readFinding } from "./health.ts";
import type { AccountTree } from "./parse-accounts.ts";
import { readExpect } from "./parse-expect.ts";
import { namesOf, readJobs } from "./parse-job.ts";
import { checkResults, engineTurns, nodeTurns, type ScenarioNode, type Step, type StepInput } from "./scenario.ts";
import { duration, whole } from "./values.ts";

const keys = ["at", "submit", "cancel", "fault", "idle", "node", "engine", "quota", "expect"];

/** Reads the steps in order; each may name only jobs that it or an earlier step submits. */
export class StepReader {
  readonly #nodes: readonly string[];
  readonly #engines: readonly string[];
  readonly #tree: AccountTree;
  readonly #jobs = new Set<string>();
  readonly #groups = new Set<string>();
  /** Names that can be cancelled: names of jobs, and of arrays. */
  readonly #cancellable = new Set<string>();
  #lastAtMs = 0;

  constructor(nodes: readonly ScenarioNode[], tree: AccountTree) {
    this.#nodes = nodes.map((node) => node.name);
    this.#engines = [...new Set(nodes.flatMap(({ engine = [] }) => engine))];
    this.#tree = tree;
  }

  read(value: unknown, at: FieldPath): Step[] {
    const steps = listOf("steps", (each, where) => this.#step(each, where))(value, at);
    if (steps.length > 0) return steps;
    throw new BadField(at, value, "holds no step", "add one, such as {at: 0s, submit: [ … ]}");
  }

  #step(value: unknown, at: FieldPath): Step {
    const fields = new Fields(value, at, "a step", keys);
    const atMs = fields.need("at", (each, where) => this.#instant(each, where), "say when, such as at: 10m");
    const inputs = fields.keys().flatMap((key) => fields.take(key, (each, where) => this.#inputs(key, each, where)));
    const account = this.#tree.known.bind(this.#tree);
    const subjects = { jobs: this.#jobs, groups: this.#groups, account };
    const expect = fields.take("expect", (each, where) => readExpect(each, where, subjects));
    return { atMs, inputs: inputs.filter((input) => input !== undefined), ...(expect && { expect }) };
  }

  #instant(value: unknown, at: FieldPath): number {
    const atMs = duration(value, at);
    if (atMs < this.#lastAtMs) {
      throw new BadField(at, value, "goes backward: the step before it is later", "put the steps in order of time");
    }
    this.#lastAtMs = atMs;
    return atMs;
  }

  #inputs(key: string, value: unknown, at: FieldPath): StepInput[] {
    switch (key) {
      case "submit":
        return listOf("jobs", (each, where) => this.#submit(each, where))(value, at).flat();
      case "cancel":
        return listOf("jobs", (each, where): StepInput => {
          return { kind: "cancel", job: knownName("a job submitted so far", [...this.#cancellable])(each, where) };
        })(value, at);
      case "fault":
        return listOf("jobs", (each, where): StepInput => {
          return { kind: "fault", job: knownName("a job submitted so far", [...this.#jobs])(each, where) };
        })(value, at);
      case "idle":
        return mapOf("jobs with how long they did nothing", (each, where, job): StepInput => {
          knownName("a job submitted so far", [...this.#jobs])(job, where);
          return { kind: "idle", job, forMs: duration(each, where) };
        })(value, at);
      case "node":
        return mapOf("nodes with what happens to them", (each, where, node): StepInput => {
          knownName("a node of the fleet", this.#nodes)(node, where);
          if (typeof each === "object" && each !== null) return this.#turnOf(node, each, where);
          return { kind: "node", node, to: knownName("a turn of a node", nodeTurns)(each, where) };
        })(value, at);
      case "engine":
        return mapOf("engines with what happens to them", (each, where, engine): StepInput => {
          knownName("an engine of the fleet", this.#engines)(engine, where);
          return { kind: "engine", engine, to: knownName("a turn of an engine", engineTurns)(each, where) };
        })(value, at);
      case "quota":
        return mapOf("accounts with their new terms", (each, where, path): StepInput => {
          return this.#quota(this.#tree.known(path, where), each, where);
        })(value, at);
      default:
        return [];
    }
  }

  /** An edit for good, or with `until` a quota from this step until then. */
  #quota(path: string, value: unknown, at: FieldPath): StepInput {
    if (typeof value !== "object" || value === null || !("until" in value))
      return { kind: "quota", accounts: this.#tree.edit(path, value, at) };
    const { until, ...terms } = value;
    const untilMs = this.#later(until, [...at, "until"], this.#lastAtMs, "this step");
    return { kind: "quota", accounts: this.#tree.during(path, terms, at), untilMs };
  }

  #turnOf(node: string, value: unknown, at: FieldPath): StepInput {
    const turn = new Fields(value, at, "a turn of a node", ["maintenance", "finding", "gpu", "checks"]);
    const gpu = turn.take("gpu", whole("the number of a GPU", 0));
    const finding = turn.take("finding", readFinding);
    if (finding !== undefined) return { kind: "finding", node, ...finding, ...(gpu !== undefined && { gpu }) };
    const checks = turn.take("checks", knownName("a result of checks", checkResults));
    if (checks !== undefined) return { kind: "checks", node, result: checks };
    return turn.need("maintenance", (each, where) => this.#window(node, each, where), "add maintenance: {until: 2h}");
  }

  #window(node: string, value: unknown, at: FieldPath): StepInput {
    const window = new Fields(value, at, "a time of maintenance", ["from", "until"]);
    const fromMs = window.take("from", (each, where) =>
      this.#later(each, where, this.#lastAtMs - 1, "the time before this step"),
    );
    const start = fromMs ?? this.#lastAtMs;
    const readUntil = (each: unknown, where: FieldPath) => this.#later(each, where, start, "its beginning");
    return { kind: "maintenance", node, fromMs: start, untilMs: window.need("until", readUntil, "say when it ends") };
  }

  /** An instant of the scenario after another. */
  #later(value: unknown, at: FieldPath, thanMs: number, than: string): number {
    const ms = duration(value, at);
    if (ms > thanMs) return ms;
    throw new BadField(
      at,
      value,
      `is not later than ${than}`,
      "times count from the start of the scenario: give a later one",
    );
  }

  #submit(value: unknown, at: FieldPath): StepInput[] {
    const jobs = readJobs(value, at, this.#tree.known.bind(this.#tree));
    for (const job of jobs) {
      for (const name of [job.name, ...namesOf(job)]) this.#cancellable.add(name);
      for (const name of namesOf(job)) {
        if (this.#jobs.has(name))
          throw new BadField([...at, "job"], job.group, `makes a second job ${name}`, "give it another name");
        this.#jobs.add(name);
      }
      this.#groups.add(job.group);
    }
    return jobs.map((job) => ({ kind: "submit", job }));
  }
}
