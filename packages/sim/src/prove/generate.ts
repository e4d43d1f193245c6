import { type GpuAmounts, minute, unitsPerGpu } from "@tessera/core";
import type { Scenario, ScenarioAccount, ScenarioJob, ScenarioNode, Step, StepInput } from "../scenario/scenario.ts";
import { Dice } from "./dice.ts";

/** What a case is about; each is small enough for the naive model to try everything. */
interface Flavour {
  readonly name: string;
  readonly nodes: readonly [number, number];
  readonly gpus: readonly [number, number];
  readonly sizes: readonly number[];
  readonly gangs: boolean;
  readonly racks: boolean;
  /** A second GPU model, cores and memory that can run out. */
  readonly mixed: boolean;
  readonly nodeTurns: boolean;
  /** Elastic gangs. */
  readonly elastic: boolean;
  /** Pools of MIG, MPS or time slices, jobs that want parts, and tenants that may not share all of them. */
  readonly parts: boolean;
  /** A tenant that holds whole nodes. */
  readonly confidential: boolean;
  /** Jobs with declared limits, so that starts can be planned. */
  readonly limits: boolean;
  /** Most jobs checkpoint, so that they can be moved. */
  readonly moves: boolean;
}

const plain = {
  ...{ gangs: false, racks: false, mixed: false, nodeTurns: false },
  ...{ elastic: false, parts: false, confidential: false, limits: false, moves: false },
};
const flavours: readonly Flavour[] = [
  { ...plain, name: "counts", nodes: [1, 1], gpus: [3, 10], sizes: [1] },
  { ...plain, name: "counts", nodes: [1, 1], gpus: [3, 10], sizes: [1] },
  { ...plain, name: "sizes", nodes: [1, 1], gpus: [4, 10], sizes: [1, 1, 2, 3, 4] },
  { ...plain, name: "nodes", nodes: [2, 4], gpus: [2, 4], sizes: [1, 1, 2, 3, 4], nodeTurns: true },
  { ...plain, name: "gangs", nodes: [2, 5], gpus: [2, 4], sizes: [1, 1, 2], gangs: true, racks: true, nodeTurns: true },
  {
    ...plain,
    name: "mixed",
    nodes: [2, 4],
    gpus: [2, 4],
    sizes: [1, 1, 2, 3],
    gangs: true,
    mixed: true,
    nodeTurns: true,
  },
  { ...plain, name: "parts", nodes: [1, 3], gpus: [1, 2], sizes: [1, 1, 2], nodeTurns: true, parts: true },
  { ...plain, name: "parts", nodes: [1, 3], gpus: [1, 2], sizes: [1], gangs: true, parts: true },
  { ...plain, name: "moves", nodes: [2, 4], gpus: [2, 4], sizes: [1, 1, 2, 3, 4], nodeTurns: true, moves: true },
  {
    ...plain,
    name: "elastic",
    nodes: [2, 4],
    gpus: [2, 4],
    sizes: [1, 1, 2],
    racks: true,
    nodeTurns: true,
    elastic: true,
  },
  {
    ...plain,
    name: "confidential",
    nodes: [2, 4],
    gpus: [2, 4],
    sizes: [1, 1, 2, 3],
    gangs: true,
    nodeTurns: true,
    confidential: true,
  },
  { ...plain, name: "limits", nodes: [1, 3], gpus: [2, 4], sizes: [1, 1, 2, 3, 4], gangs: true, limits: true },
];

const parts: Readonly<Record<"mig" | "mps" | "timeslice", readonly (string | number)[]>> = {
  mig: ["1g.10gb", "1g.20gb", "2g.20gb", "3g.40gb", "4g.40gb", 0.25, 0.5],
  mps: [0.25, 0.25, 0.5, 0.1],
  timeslice: [0.25, 0.25, 0.5, 0.75],
};

/** A random case: the tree, the fleet and what happens, all from one seed. */
export function generate(seed: number): Scenario {
  const scenario = new Maker(new Dice(seed), seed).scenario();
  if (seed % narrowedEvery === 0) return narrowed(scenario, new Dice(-seed));
  return seed % sharedEvery === 0 ? sharedByPool(scenario, new Dice(-seed)) : scenario;
}

/** In one of so many cases with parts it is a pool that says how GPUs are shared, by which tenants, and how often. */
const sharedEvery = 5;

function sharedByPool(scenario: Scenario, dice: Dice): Scenario {
  const mode = scenario.nodes[0]?.mode;
  if (mode === undefined || mode === "whole") return scenario;
  const labels = { tier: "shared" };
  const nodes = scenario.nodes.map((node) => ({ ...node, labels, mode: "whole" as const }));
  const ratio = mode === "timeslice" ? { ratio: dice.whole(1, 4) } : {};
  const trust = dice.chance(40) ? { trust: "trusted" as const } : {};
  return { ...scenario, nodes, pools: [{ name: "shared", labels, mode, ...ratio, ...trust }] };
}

/** In one of so many cases some nodes have labels and a pool, and some jobs ask for them. */
const narrowedEvery = 6;

/** The case with labels on its nodes, jobs that ask for one of them, and perhaps a pool that is closed to some tenants. */
function narrowed(scenario: Scenario, dice: Dice): Scenario {
  if (scenario.nodes.length < 2) return scenario;
  const nodes = scenario.nodes.map((node) => ({ ...node, labels: { tier: dice.pick(["gold", "plain"]) } }));
  const tops = scenario.accounts.map(({ path }) => path).filter((path) => !path.includes("/"));
  const pool = { name: "gold", labels: { tier: "gold" }, tenants: [dice.pick(tops)] };
  const ask = (input: StepInput): StepInput =>
    input.kind === "submit" && dice.chance(40)
      ? { ...input, job: { ...input.job, where: { tier: dice.pick(["gold", "plain"]) } } }
      : input;
  const steps = scenario.steps.map((step) => ({ ...step, inputs: step.inputs.map(ask) }));
  return { ...scenario, nodes, steps, pools: dice.chance(50) ? [pool] : [] };
}

/** The same case with its nodes in two engines, one of which is out of use at times. */
export function inTwoEngines(scenario: Scenario, seed: number): Scenario {
  const dice = new Dice(seed);
  const nodes = scenario.nodes.map((node) => ({ ...node, engine: dice.pick(["east", "west"]) }));
  const { engine } = dice.pick(nodes);
  let out: "away" | "cordon" | undefined;
  const steps = scenario.steps.map((step) => {
    if (!dice.chance(25)) return step;
    const to = out === undefined ? dice.pick(["away", "cordon"] as const) : out === "away" ? "back" : "up";
    out = to === "away" || to === "cordon" ? to : undefined;
    return { ...step, inputs: [{ kind: "engine", engine, to } as const, ...step.inputs] };
  });
  return { ...scenario, name: `${scenario.name} in two engines`, nodes, steps };
}

class Maker {
  readonly #dice: Dice;
  readonly #seed: number;
  readonly #flavour: Flavour;
  readonly #jobs: string[] = [];
  readonly #down = new Set<string>();
  #accounts: ScenarioAccount[] = [];
  #nodes: ScenarioNode[] = [];
  #left = 22;
  /** One mode for all pools, so that the size of a part is known before it is placed. */
  #mode: "whole" | keyof typeof parts = "whole";

  constructor(dice: Dice, seed: number) {
    this.#dice = dice;
    this.#seed = seed;
    this.#flavour = dice.pick(flavours);
  }

  scenario(): Scenario {
    const dice = this.#dice;
    this.#nodes = this.#fleet();
    this.#accounts = this.#tree();
    const accounts = [...this.#accounts];
    const policy = {
      // A job that reaches its limit leaves only after its grace period, which plans do not count.
      graceMs: dice.chance(25) && !this.#flavour.limits ? dice.whole(1, 4) * minute : 0,
      minRuntimeMs: dice.chance(15) ? dice.whole(1, 6) * minute : 0,
      rebalance: !dice.chance(10),
      backfill: true,
    };
    const steps: Step[] = [];
    let atMs = 0;
    for (let count = dice.whole(2, 8); count > 0; count--) {
      steps.push({ atMs, inputs: this.#inputs() });
      atMs += dice.whole(1, 4) * minute;
    }
    return { name: `${this.#flavour.name} ${this.#seed}`, nodes: this.#nodes, accounts, policy, pools: [], steps };
  }

  #fleet(): ScenarioNode[] {
    const { nodes, gpus, racks, mixed, parts } = this.#flavour;
    const dice = this.#dice;
    if (parts) this.#mode = dice.pick(["mig", "mig", "mps", "timeslice"] as const);
    const each = dice.whole(...gpus);
    return Array.from({ length: dice.whole(...nodes) }, (_, i) => {
      const count = dice.chance(30) ? dice.whole(...gpus) : each;
      return {
        name: `${letters[i]}0`,
        model: mixed && dice.chance(30) ? "A100" : "H100",
        gpus: count,
        gpuMemoryMiB: 81_920,
        zone: "zone",
        block: racks && dice.chance(20) ? "block2" : "block",
        rack: racks ? `rack${dice.whole(1, 2)}` : "rack",
        // The same amount for each GPU, so that a guarantee's part of it is a whole number.
        cpusMilli: mixed ? count * 4_000 : 1_000_000_000,
        memoryMiB: mixed ? count * 8_192 : 1_000_000_000,
        mode: this.#mode,
      };
    });
  }

  /** Up to four levels; children may be guaranteed less than, as much as or more than their parent. */
  #tree(): ScenarioAccount[] {
    const dice = this.#dice;
    const total = this.#nodes.reduce((all, node) => all + node.gpus, 0);
    const accounts: ScenarioAccount[] = [];
    const deepest = dice.pick([1, 1, 2, 2, 3, 4]);
    const add = (path: string, depth: number, share: number): void => {
      const guarantee = dice.chance(25) ? 0 : dice.whole(0, Math.max(0, share));
      accounts.push(this.#account(path, guarantee, total));
      if (depth >= deepest || accounts.length >= 9) return;
      const children = dice.whole(depth === 1 ? 1 : 0, 3);
      for (let i = 0; i < children; i++) add(`${path}/${letters[i]}`, depth + 1, dice.chance(15) ? total : guarantee);
    };
    const tops = dice.whole(2, 4);
    for (let i = 0; i < tops; i++) {
      add(letters[i]!, 1, dice.chance(20) ? total : Math.ceil((total * 1.5) / tops));
    }
    return accounts;
  }

  #account(path: string, guarantee: number, total: number): ScenarioAccount {
    const dice = this.#dice;
    const max = dice.chance(15) ? Math.max(guarantee, dice.whole(1, total)) : undefined;
    const lendable = dice.chance(15) ? dice.whole(0, guarantee) : undefined;
    return {
      path,
      guarantee: this.#byModel(guarantee),
      ...(max !== undefined && { max: { "*": max * unitsPerGpu } }),
      ...(lendable !== undefined && { lendable: this.#byModel(lendable) }),
      weight: dice.pick([0, 1, 1, 1, 1, 2, 3]),
      ...this.#trust(path),
    };
  }

  /** A guarantee, of which a part may be for one model only. */
  #byModel(gpus: number): GpuAmounts {
    const dice = this.#dice;
    if (!this.#flavour.mixed || gpus === 0 || dice.chance(60)) return { "*": gpus * unitsPerGpu };
    const own = dice.whole(1, gpus);
    const any = gpus - own;
    return { [dice.pick(["H100", "A100"])]: own * unitsPerGpu, ...(any > 0 && { "*": any * unitsPerGpu }) };
  }

  /** The trust of a tenant; accounts inside a tenant have none. */
  #trust(path: string): Pick<ScenarioAccount, "trust" | "trustGroup"> {
    const dice = this.#dice;
    const { parts, confidential } = this.#flavour;
    if (path.includes("/")) return { trust: "trusted" };
    if (confidential && dice.chance(50)) return { trust: "confidential" };
    if (!parts) return { trust: "trusted" };
    if (dice.chance(20)) return { trust: "untrusted" };
    return { trust: "trusted", ...(dice.chance(60) && { trustGroup: "ours" }) };
  }

  #inputs(): StepInput[] {
    const dice = this.#dice;
    const inputs: StepInput[] = [];
    if (dice.chance(20) && this.#jobs.length > 0) {
      for (let count = dice.whole(1, 2); count > 0; count--)
        inputs.push({ kind: "cancel", job: dice.pick(this.#jobs) });
    }
    if (dice.chance(20)) inputs.push(this.#quota());
    if (this.#flavour.nodeTurns && dice.chance(20)) inputs.push(this.#turn());
    const entries = dice.whole(inputs.length > 0 ? 0 : 1, 3);
    for (let i = 0; i < entries; i++) inputs.push(...this.#submit());
    return inputs;
  }

  #quota(): StepInput {
    const dice = this.#dice;
    const at = dice.whole(0, this.#accounts.length - 1);
    const account = this.#accounts[at]!;
    const total = this.#nodes.reduce((all, node) => all + node.gpus, 0);
    const most = account.max?.["*"] === undefined ? total : account.max["*"] / unitsPerGpu;
    const changed = dice.chance(75)
      ? { ...account, guarantee: this.#byModel(dice.whole(0, most)) }
      : { ...account, weight: dice.whole(0, 3) };
    this.#accounts[at] = changed;
    return { kind: "quota", accounts: [changed] };
  }

  #turn(): StepInput {
    const dice = this.#dice;
    const { name } = dice.pick(this.#nodes);
    if (this.#down.delete(name)) return { kind: "node", node: name, to: "up" };
    const to = dice.pick(["down", "down", "cordon", "drain"] as const);
    this.#down.add(name);
    return { kind: "node", node: name, to };
  }

  /** One job, or several equal ones. */
  #submit(): StepInput[] {
    const dice = this.#dice;
    const count = Math.min(this.#left, dice.chance(50) ? dice.whole(2, 6) : 1);
    this.#left -= count;
    const job = this.#job();
    const name = `j${this.#jobs.length + 1}`;
    return Array.from({ length: count }, (_, i) => {
      const own = count === 1 ? name : `${name}.${i + 1}`;
      this.#jobs.push(own);
      return { kind: "submit", job: { ...job, name: own, group: name } };
    });
  }

  /** Where jobs share GPUs, some answer requests, and some of these make a latency promise. */
  #load(): Pick<ScenarioJob, "type" | "slo"> {
    const dice = this.#dice;
    if ((this.#mode !== "mps" && this.#mode !== "timeslice") || dice.chance(50)) return {};
    const slo = { aloneMs: 100, p99Ms: dice.pick([100, 150, 250, 500]) };
    return { type: "service", ...(dice.chance(50) && { slo }) };
  }

  #job(): Omit<ScenarioJob, "name" | "group"> {
    const dice = this.#dice;
    const { sizes, gangs, racks, mixed, elastic, limits, moves } = this.#flavour;
    const inner = this.#accounts.filter(({ path }) =>
      this.#accounts.some((other) => other.path.startsWith(`${path}/`)),
    );
    const leaves = this.#accounts.filter((account) => !inner.includes(account));
    const { path: account } = dice.pick(inner.length > 0 && dice.chance(8) ? inner : leaves);
    const size = dice.pick(sizes);
    const members = gangs && dice.chance(35) ? dice.whole(2, 3) : elastic && dice.chance(30) ? 2 : 1;
    const more = elastic && dice.chance(60) ? dice.whole(1, 4) : 0;
    const runs = dice.chance(limits ? 80 : 30) ? dice.whole(1, 10) : undefined;
    const topology = { level: dice.pick(["rack", "node"] as const), required: true };
    return {
      account,
      gpus: mixed
        ? dice.pick([[size], [`H100:${size}`], [`A100:${size}`], [`A100:${size}`, `H100:${size}`]])
        : [this.#mode === "whole" || dice.chance(20) ? size : dice.pick(parts[this.#mode])],
      members: { min: members, max: members + more, apart: members + more > 1 && dice.chance(50) },
      ...(racks && members + more > 1 && dice.chance(30) && { topology }),
      cpusMilli: mixed ? dice.pick([0, 1000, 4000, 8000]) : 0,
      memoryMiB: mixed ? dice.pick([0, 0, 8192, 16_384]) : 0,
      gpuMemoryMiB: 0,
      isolation: "any",
      ...this.#load(),
      priority: dice.pick([0, 0, 0, 0, -1, 1, 2]),
      preemptible: !dice.chance(12),
      ...(runs !== undefined && { runsMs: runs * minute }),
      ...(limits && dice.chance(85) && { maxTimeMs: ((runs ?? 5) + dice.whole(0, 4)) * minute }),
      ...(dice.chance(moves ? 70 : 20) && { checkpointMs: dice.whole(1, 3) * minute }),
    };
  }
}

const letters = ["a", "b", "c", "d", "e"];
