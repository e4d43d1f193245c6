import type { Instant } from "@tessera/core";
import type { ControlPlane } from "../control.ts";
import { openStretches, usageReport } from "./usage.ts";

/** What a job held, in unit-milliseconds. */
export interface Leased {
  readonly job: string;
  readonly unitMs: string;
}

/** What the books say was leased in a span, by job. `seq` is the last batch that the state holds. */
export async function leasedIn(
  { reader, state }: Pick<ControlPlane, "reader" | "state">,
  seq: number,
  { from, to }: { readonly from: Instant; readonly to: Instant },
): Promise<Leased[]> {
  const ask = { by: "job" as const, from, to, accounts: [""], fleet: false };
  const { rows } = await usageReport(reader, openStretches(state, seq, to), ask, String);
  return rows.map(({ key, unitMs }) => ({ job: key, unitMs }));
}
