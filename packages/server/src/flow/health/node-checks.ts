import { type CheckRecord, type FleetNode, isRefusal, nodeKey, type Refusal, refuse } from "@tessera/core";
import type { CheckAsk, CheckResult, Engine } from "@tessera/engine";
import type { Asker, ControlPlane } from "../control.ts";

/** A check of eight GPUs takes minutes; the engine's own limits end each script long before. */
const resultsMax = 2_000;

export interface NodeChecksParts {
  readonly control: Pick<ControlPlane, "state" | "ask">;
  /** The engine of a node, while it can be reached. */
  readonly engineOf: (name: string) => Engine | undefined;
  readonly warn: (text: string) => void;
}

/** Runs active checks on nodes, one at a time on each, and writes down how they went. */
export class NodeChecks {
  readonly #parts: NodeChecksParts;
  readonly #running = new Map<string, Promise<void>>();
  /** Nodes on which a holder's check failed: looked at again as soon as they are idle. */
  readonly #suspects = new Set<string>();

  constructor(parts: NodeChecksParts) {
    this.#parts = parts;
  }

  get running(): number {
    return this.#running.size;
  }

  isRunning(node: FleetNode): boolean {
    return this.#running.has(nodeKey(node.facts));
  }

  isSuspect(node: FleetNode): boolean {
    return this.#suspects.has(nodeKey(node.facts));
  }

  /** Begins the checks; refuses where there are none. `held`: the asker's own GPUs, on which its jobs run. */
  begin(node: FleetNode, ask: Omit<CheckAsk, "signal">, by: Asker, held = false): Refusal | undefined {
    const { engine: name, name: bare } = node.facts;
    const key = nodeKey(node.facts);
    if (this.#running.has(key))
      return refuse("conflict", "node", bare, "is being checked already", "wait until it is done");
    const engine = this.#parts.engineOf(name);
    if (engine?.check === undefined) {
      const why = engine === undefined ? "cannot be reached now" : "has no checks";
      return refuse("conflict", "node", bare, `cannot be checked: its engine ${name} ${why}`, "see: tess engine get");
    }
    const done = this.#run(node, () => engine.check!(bare, ask), by, held).finally(() => this.#running.delete(key));
    this.#running.set(key, done);
    return undefined;
  }

  async settled(): Promise<void> {
    await Promise.all(this.#running.values());
  }

  async #run(node: FleetNode, run: () => Promise<readonly CheckResult[]>, by: Asker, held: boolean): Promise<void> {
    const key = nodeKey(node.facts);
    const { control, warn } = this.#parts;
    try {
      const results = (await run()).slice(0, resultsMax).map(recordOf);
      if (held && results.some(({ result }) => result === "failed")) this.#suspects.add(key);
      else if (!held) this.#suspects.delete(key);
      const command = { kind: "node.checked", node: key, results, ...(held && { held: true as const }) } as const;
      const answer = await control.ask(command, by);
      if (isRefusal(answer)) warn(`${key}: ${answer.detail}`);
    } catch (error) {
      warn(`checks of ${key}: ${(error as Error).message}`);
    }
  }
}

function recordOf({ ms: _, ...record }: CheckResult): CheckRecord {
  return record;
}

/** The GPUs of a node that a job holds. */
export function gpusHeld(
  node: FleetNode,
  leases: readonly { readonly node: number; readonly gpus: readonly number[] }[],
): string[] {
  const held = new Set(leases.flatMap((lease) => (lease.node === node.no ? lease.gpus : [])));
  return node.facts.gpus.filter((_, i) => held.has(node.firstGpu + i)).map(({ uuid }) => uuid);
}
