import { clean, mayPassUnscrubbed } from "../gpu/scrub.ts";
import type { Seat } from "../journal/event.ts";
import type { AccountNo, GpuNo } from "../model/ids.ts";
import { tenantOf } from "../quota/accounts.ts";
import { gpuModeOf } from "../state/apply/marks.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";

/** What must be done to GPUs before the next job gets them: clear their memory (S4), change their mode. */
export interface Handover {
  readonly scrub?: readonly GpuNo[];
  readonly reshape?: readonly GpuNo[];
}

/** What these seats need before they are handed to a job of this account. */
export function handoverFor(state: ReadonlyState, account: AccountNo, seats: readonly Seat[]): Handover {
  const { scrubMs, reshapeMs } = state.policy;
  if (scrubMs === undefined && reshapeMs === undefined) return nothingToDo;
  const isClean = cleanFor(state, account);
  // Tenants that share a GPU by MPS or time slices trust each other, and it cannot be cleared while one of them runs.
  const shares = ({ part }: Seat, gpu: GpuNo) =>
    part !== undefined && part.mode !== "mig" && state.fleet.parts.has(gpu);
  const dirty = (seat: Seat) => seat.gpus.filter((gpu) => !isClean(gpu) && !shares(seat, gpu));
  const scrub = scrubMs === undefined ? [] : seats.flatMap(dirty);
  const reshape = reshapeMs === undefined ? [] : seats.flatMap((seat) => otherwiseCut(state, seat));
  return { ...(scrub.length > 0 && { scrub }), ...(reshape.length > 0 && { reshape }) };
}

const nothingToDo: Handover = {};

/** Which GPUs a job of this account may have without a scrub. */
export function cleanFor(state: ReadonlyState, account: AccountNo): (gpu: number) => boolean {
  const { fleet } = state;
  const tenant = tenantOf(state, account);
  return (gpu) => {
    const mark = fleet.gpuMark[gpu]!;
    return mark === clean || mark === tenant.no || (mark > 0 && mayPassUnscrubbed(state.accounts[mark], tenant));
  };
}

/** The GPUs of a seat that change their mode. One in use keeps its mode (P3); some never had another. */
function otherwiseCut(state: ReadonlyState, { gpus, part }: Seat): GpuNo[] {
  const { fleet } = state;
  const mode = part?.mode ?? "whole";
  return gpus.filter((gpu) => {
    return fleet.device(gpu).sharing.recut && !fleet.parts.has(gpu) && gpuModeOf(state, gpu) !== mode;
  });
}
