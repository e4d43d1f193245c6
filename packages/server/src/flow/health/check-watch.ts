import { type FleetNode, isRefusal, nodeKey, notAccepted, type ReadonlyState } from "@tessera/core";
import type { Asker } from "../control.ts";
import type { NodeChecks } from "./node-checks.ts";

const by: Asker = { actor: { user: "system" }, request: "checks" };
const lookEveryMs = 30_000;
/** Each costs the machine of the node, not that of the server; still they are spread out. */
const atOnceMax = 16;
/** A node that could not be checked is tried again after this time. */
const againMs = 10 * 60_000;

export interface CheckWatchParts {
  readonly state: ReadonlyState;
  readonly now: () => number;
  readonly checks: Pick<NodeChecks, "begin" | "running" | "isRunning" | "isSuspect">;
}

/**
 * Checks nodes without being asked: new ones that wait for it, idle ones when their time has come, and idle ones on which the
 * holder of GPUs saw a check fail. Engines end a check as soon as a job gets the GPUs.
 */
export class CheckWatch {
  readonly #parts: CheckWatchParts;
  readonly #triedAt = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: CheckWatchParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#timer = setInterval(() => this.look(), lookEveryMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  look(): void {
    const { state, checks, now } = this.#parts;
    const { acceptance, checkEveryMs } = state.policy;
    const at = now();
    for (const [key, tried] of this.#triedAt) if (tried <= at - againMs) this.#triedAt.delete(key);
    for (const node of state.fleet.nodes) {
      if (checks.running >= atOnceMax) return;
      if (node === undefined || node.leases > 0 || !this.#isDue(node, acceptance, checkEveryMs, at)) continue;
      const key = nodeKey(node.facts);
      if (checks.isRunning(node) || this.#triedAt.has(key)) continue;
      this.#triedAt.set(key, at);
      const refused = checks.begin(node, {}, by);
      if (isRefusal(refused)) continue;
    }
  }

  #isDue(node: FleetNode, acceptance: true | undefined, everyMs: number | undefined, at: number): boolean {
    const { state, checks } = this.#parts;
    if (acceptance && node.own.mode === "maintenance" && node.own.reason === notAccepted) return true;
    if (node.mode !== "up") return false;
    if (checks.isSuspect(node)) return true;
    if (everyMs === undefined || node.facts.virtual) return false;
    return (state.health.get(nodeKey(node.facts))?.checkedAt ?? 0) <= at - everyMs;
  }
}
