import { type HealthFinding, isRefusal } from "@tessera/core";
import type { Asker, ControlPlane } from "../control.ts";

const by: Asker = { actor: { user: "system" }, request: "health" };

/** One GPU that fails writes the same line thousands of times: what repeats within this time is counted and told once. */
const windowMs = 60_000;
/** Kinds of findings that are remembered at once, for all engines. */
const kindsMax = 2_000;

interface Kind {
  readonly engine: string;
  newest: HealthFinding;
  /** Since it was last told. */
  untold: number;
}

export interface FindingsParts {
  readonly control: Pick<ControlPlane, "ask">;
  readonly warn: (text: string) => void;
  /** Calls back after a while; the returned function calls that off. */
  readonly after: (ms: number, act: () => void) => () => void;
}

/** Hands what engines find to the core: the first of its kind at once, its repetitions together, and never without bound. */
export class Findings {
  readonly #parts: FindingsParts;
  readonly #kinds = new Map<string, Kind>();
  #cancel: (() => void) | undefined;
  #isFull = false;

  constructor(parts: FindingsParts) {
    this.#parts = parts;
  }

  take(engine: string, finding: HealthFinding): void {
    const { node, gpuUuid, source, code, lease } = finding;
    const key = JSON.stringify([engine, node, gpuUuid, source, code, lease]);
    const known = this.#kinds.get(key);
    if (known !== undefined) {
      known.newest = finding;
      known.untold++;
      return;
    }
    if (this.#kinds.size >= kindsMax) {
      this.#full();
      return;
    }
    const kind: Kind = { engine, newest: finding, untold: 1 };
    this.#kinds.set(key, kind);
    this.#cancel ??= this.#parts.after(windowMs, () => void this.flush());
    void this.#tell(kind);
  }

  /** Tells what was repeated, and forgets what was not. */
  async flush(): Promise<void> {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#isFull = false;
    for (const [key, kind] of [...this.#kinds]) {
      if (kind.untold === 0) this.#kinds.delete(key);
      else await this.#tell(kind);
    }
    if (this.#kinds.size > 0) this.#cancel = this.#parts.after(windowMs, () => void this.flush());
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  /** What cannot be written now, on a full disk or because the writer is stopping, is told with the next turn. */
  async #tell(kind: Kind): Promise<void> {
    const { engine, newest, untold } = kind;
    kind.untold = 0;
    const { control, warn } = this.#parts;
    const count = untold > 1 ? { count: untold } : {};
    const node = `${engine}/${newest.node}`;
    try {
      const answer = await control.ask({ kind: "node.finding", ...newest, node, ...count }, by);
      if (!isRefusal(answer)) return;
      warn(`${node}: ${answer.detail}`);
    } catch (error) {
      warn(`${node}: ${(error as Error).message}`);
    }
    kind.untold += untold;
  }

  #full(): void {
    if (!this.#isFull)
      this.#parts.warn(`more than ${kindsMax} kinds of findings within a minute: the others are left out`);
    this.#isFull = true;
  }
}
