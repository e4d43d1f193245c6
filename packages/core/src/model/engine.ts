import type { Instant } from "./units.ts";

/** What runs jobs: this machine, a simulated fleet, or a cluster. */
export const engineKinds = ["local", "simulated", "kubernetes"] as const;
export type EngineKind = (typeof engineKinds)[number];

/** What the owner says of an engine. Its credentials are a private row. */
export interface EngineTerms {
  readonly kind: EngineKind;
  /** Why it takes nothing new; absent = it does. */
  readonly cordoned?: string;
  /** After this long out of reach its jobs count as lost; 0 = they are waited for. */
  readonly lostAfterMs: number;
  /** What its kind needs to know, such as the context of a kubeconfig. The engine checks it. */
  readonly settings: { readonly [name: string]: string };
}

/** An engine as the journal knows it. */
export interface EngineState {
  readonly name: string;
  readonly terms: EngineTerms;
  readonly createdAt: Instant;
  /** Changes with its terms. */
  readonly revision: number;
  /** Out of reach since then, and what was said; absent = within reach. */
  readonly away?: { readonly since: Instant; readonly reason: string } | undefined;
  /** Its nodes are being emptied; when they are, it is gone. */
  readonly leaving?: true | undefined;
}
