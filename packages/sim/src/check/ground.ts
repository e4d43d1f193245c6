import type { AccountRule, Ask, Machine, Row } from "./inputs.ts";
import type { Rule, Step } from "./replay.ts";

const wholeGpu = 1000;

/** What is held where at one instant, counted from the rows alone. */
export class Ground {
  readonly #nodes: ReadonlyMap<string, Node>;
  readonly #accounts: ReadonlyMap<string, AccountRule>;
  /** By account and model, `*` for all of them. */
  readonly #heldMilli = new Map<string, number>();

  constructor(machines: ReadonlyMap<string, Machine>, accounts: ReadonlyMap<string, AccountRule>) {
    this.#nodes = new Map([...machines].map(([name, machine]) => [name, nodeOf(machine)]));
    this.#accounts = accounts;
  }

  /** Counts what the row takes, and reports what is then beyond its limit. */
  take(step: Step, report: (rule: Rule, row: Row, what: string) => void): void {
    const node = this.#nodes.get(step.node)!;
    this.#checkTrust(step, node, (what) => report("trust", step, what));
    this.#count(step, 1);
    for (const device of new Set(step.devices)) {
      const held = node.heldMilli[device] ?? 0;
      if (held > wholeGpu) report("capacity", step, `device ${device} of ${step.node} then holds ${held} of 1000`);
    }
    for (const [what, held, of] of [
      ["CPU", node.cpuMilli, node.machine.cpuMilli],
      ["memory", node.memoryMiB, node.machine.memoryMiB],
    ] as const) {
      if (held > of) report("capacity", step, `${what} of ${step.node} then holds ${held} of ${of}`);
    }
    this.#checkQuota(step, node.machine.model, (what) => report("quota", step, what));
  }

  free(step: Step): void {
    this.#count(step, -1);
  }

  /** A node that could hold the task now. */
  nodeFor({ devices, milli, cpuMilli, memoryMiB, models }: Ask): string | undefined {
    for (const [name, node] of this.#nodes) {
      const { machine } = node;
      if (node.cpuMilli + cpuMilli > machine.cpuMilli || node.memoryMiB + memoryMiB > machine.memoryMiB) continue;
      if (devices > 0 && models.length > 0 && !models.includes(machine.model)) continue;
      const fitting = node.heldMilli.filter((held) => held + milli <= wholeGpu).length;
      if (fitting >= devices) return name;
    }
    return undefined;
  }

  #count(step: Step, sign: 1 | -1): void {
    const node = this.#nodes.get(step.node)!;
    for (const device of step.devices) node.heldMilli[device] = (node.heldMilli[device] ?? 0) + sign * step.milli;
    if (step.first) {
      node.cpuMilli += sign * step.ask.cpuMilli;
      node.memoryMiB += sign * step.ask.memoryMiB;
    }
    for (const path of pathOf(step.ask.account)) {
      for (const key of [`${path} *`, `${path} ${node.machine.model}`]) {
        const milli = step.devices.length * step.milli;
        this.#heldMilli.set(key, (this.#heldMilli.get(key) ?? 0) + sign * milli);
      }
    }
    if (sign > 0) node.steps.add(step);
    else node.steps.delete(step);
  }

  #checkQuota(step: Step, model: string, report: (what: string) => void): void {
    for (const path of pathOf(step.ask.account)) {
      for (const [of, max] of Object.entries(this.#accounts.get(path)?.max ?? {})) {
        const held = this.#heldMilli.get(`${path} ${of}`) ?? 0;
        if ((of !== "*" && of !== model) || held <= max * wholeGpu) continue;
        report(`${path} then holds ${held / wholeGpu} GPUs${of === "*" ? "" : ` of ${of}`}, at most ${max}`);
      }
    }
  }

  #checkTrust(step: Step, node: Node, report: (what: string) => void): void {
    for (const other of node.steps) {
      const [mine, its] = [step.ask.account, other.ask.account].map((account) => this.#trustOf(account));
      if (mine!.tenant === its!.tenant) continue;
      const two = `${mine!.tenant} and ${its!.tenant}`;
      if (mine!.trust === "confidential" || its!.trust === "confidential") {
        report(`${two} share ${step.node}, and one of them is confidential`);
      } else if (step.devices.some((device) => other.devices.includes(device)) && mine!.group !== its!.group) {
        report(`${two} share a GPU of ${step.node} and are not of one trust group`);
      }
    }
  }

  /** Trust and its group stand at the tenant, the top of the path; a tenant without a group is one of its own. */
  #trustOf(account: string) {
    const tenant = account.split("/")[0]!;
    const rule = this.#accounts.get(tenant);
    const trust = rule?.trust ?? "trusted";
    return { tenant, trust, group: trust === "trusted" ? (rule?.trust_group ?? `of ${tenant}`) : `of ${tenant}` };
  }
}

interface Node {
  readonly machine: Machine;
  readonly heldMilli: number[];
  readonly steps: Set<Step>;
  cpuMilli: number;
  memoryMiB: number;
}

function nodeOf(machine: Machine): Node {
  return { machine, heldMilli: new Array(machine.devices).fill(0), steps: new Set(), cpuMilli: 0, memoryMiB: 0 };
}

/** `a/b/c` is held by a, a/b and a/b/c. */
function pathOf(account: string): string[] {
  if (account === "") return [];
  const parts = account.split("/");
  return parts.map((_, at) => parts.slice(0, at + 1).join("/"));
}
