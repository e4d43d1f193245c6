import type { FleetNode, NodeNo, ReadonlyState } from "@tessera/core";
import type { Engine } from "@tessera/engine";

/** Tells an engine what the owner decided about its nodes, until it has taken that. */
export class NodeMarks {
  readonly #engine: Engine;
  readonly #state: ReadonlyState;
  readonly #told = new Map<string, string>();
  readonly #open = new Set<NodeNo>();

  constructor(engine: Engine, state: ReadonlyState) {
    this.#engine = engine;
    this.#state = state;
  }

  /** A node changed; true if there is something to tell. */
  note(no: NodeNo): boolean {
    const node = this.#state.fleet.nodes[no];
    if (this.#engine.markNode === undefined || node?.facts.engine !== this.#engine.name) return false;
    const told = this.#told.get(node.facts.name);
    // Only what was taken out of use here is put into use there: others may have cordoned the node too.
    if (node.own.mode === "down" || told === textOf(node) || (node.own.mode === "up" && told === undefined))
      return false;
    this.#open.add(no);
    return true;
  }

  /** After a start: what the owner took out of use is so there too. */
  noteAll(): void {
    for (const node of this.#state.fleet.nodes) if (node !== undefined && node.own.mode !== "up") this.note(node.no);
  }

  /** Throws where the engine does not take it; it is told again then. */
  async flush(): Promise<void> {
    for (const no of [...this.#open]) {
      const node = this.#state.fleet.nodes[no];
      if (node !== undefined) {
        const text = textOf(node);
        const { mode, reason } = node.own;
        await this.#engine.markNode?.(node.facts.name, mode === "up" ? "up" : "cordoned", reason);
        this.#told.set(node.facts.name, text);
      }
      this.#open.delete(no);
    }
  }
}

function textOf({ own: { mode, reason } }: FleetNode): string {
  return mode === "up" ? "up" : `cordoned ${reason}`;
}
