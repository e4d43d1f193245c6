import type { EngineKind, NodeFacts, Refusal } from "@tessera/core";
import type { Engine } from "@tessera/engine";

/** What is needed to open an engine. */
export interface EngineAsk {
  readonly name: string;
  readonly settings: { readonly [name: string]: string };
  /** In clear text; absent where the kind needs none. */
  readonly credentials?: string;
}

/** What was found when an engine was tried. */
export interface Tried {
  readonly version: string;
  readonly nodes: number;
  readonly gpus: number;
}

/** How engines of a kind that people can add are checked, tried and opened. */
export interface AddedKind {
  /** True if credentials must be given. */
  readonly sealed: boolean;
  check(settings: EngineAsk["settings"]): Refusal | undefined;
  /** Throws an Error whose message says what to do. */
  try(ask: EngineAsk): Promise<Tried>;
  /** The id of what it leads to, the same by every address and for every user; absent where each engine is one of its own. */
  identify?(ask: EngineAsk): Promise<string>;
  open(ask: EngineAsk): Engine;
}

/** The kinds that can be added while the server runs. The local engine is there from the start, or not at all. */
export type AddedKinds = { readonly [Kind in Exclude<EngineKind, "local">]: AddedKind };

/** An engine that was given when the server was started. */
export interface GivenEngine {
  readonly name: string;
  readonly kind: EngineKind;
  readonly settings: EngineAsk["settings"];
  readonly lostAfterMs: number;
  /** Of all its nodes, beside what the engine itself says of them. */
  readonly labels?: NodeFacts["labels"];
  /** In this process or beside it: the start waits for it, and fails with it. */
  readonly here: boolean;
  readonly open: () => Promise<Engine> | Engine;
  /** As with added ones. */
  readonly identify?: () => Promise<string>;
}
