import { type Charge, hour, type Instant, type LineKey, modelMatches, shareOut, type Usage } from "@tessera/core";
import { isWithin } from "../../store/paths.ts";

/** A part of a charge: of the job or user with this key, or of none. */
export interface HolderPart {
  readonly charge: Charge;
  readonly key?: string;
  readonly micros: bigint;
  readonly quantity: bigint;
}

/** GPU time of a usage within one hour that no charge has been divided by yet. */
interface Held {
  readonly usage: Usage;
  unitMsLeft: bigint;
}

/**
 * Divides charges among those that held what is charged. GPU time beyond a floor is paid by its own charges; what is
 * left of the time that a job held was covered by a floor, nearest account and closest model first. The part of a floor
 * that no job held is nobody's.
 */
export function divideAmongHolders(
  charges: readonly Charge[],
  used: readonly Usage[],
  span: { readonly fromAt: Instant; readonly toAt: Instant },
  keyOf: (usage: Usage) => string,
): HolderPart[] {
  const byHour = heldByHour(used, span);
  const ordered = charges.toSorted((a, b) => rankOf(a) - rankOf(b));
  return ordered.flatMap((charge) => {
    const held = (byHour.get(hourOf(charge.fromAt)) ?? []).filter(({ usage }) => isBehind(usage, charge));
    return charge.kind === "reserved" ? ofFloor(charge, held, keyOf) : ofHolders(charge, held, keyOf);
  });
}

function heldByHour(
  used: readonly Usage[],
  { fromAt, toAt }: { readonly fromAt: Instant; readonly toAt: Instant },
): ReadonlyMap<number, readonly Held[]> {
  const byHour = new Map<number, Held[]>();
  for (const usage of used) {
    const end = Math.min(usage.toAt, toAt);
    for (let at = Math.max(usage.fromAt, fromAt); at < end; at += hour - (at % hour)) {
      const until = Math.min(end, at + hour - (at % hour));
      const list = byHour.get(hourOf(at)) ?? [];
      list.push({ usage, unitMsLeft: BigInt(until - at) * unitsOf(usage) });
      byHour.set(hourOf(at), list);
    }
  }
  return byHour;
}

/** Charges for use first, then floors: of the deepest account first, and those of one model before those of any. */
function rankOf({ kind, account, model }: Charge): number {
  if (kind !== "reserved") return 0;
  return 1_000 - 2 * account.split("/").length + (model === "*" ? 1 : 0);
}

function isBehind(usage: Usage, charge: Charge): boolean {
  if (usage.fromAt >= charge.toAt || usage.toAt <= charge.fromAt) return false;
  if (charge.kind === "reserved")
    return isWithin(usage.account, charge.account) && modelMatches(charge.model, usage.model);
  if (usage.account !== charge.account) return false;
  const isOfPool = usage.pool === charge.pool && usage.poolPerMille === charge.poolPerMille;
  return !isGpu(charge) || (usage.model === charge.model && usage.topology === charge.topology && isOfPool);
}

function ofHolders(charge: Charge, held: readonly Held[], keyOf: (usage: Usage) => string): HolderPart[] {
  const weights = held.map(({ usage }) => weightOf(usage, charge));
  if (weights.every((weight) => weight === 0n)) return [{ charge, micros: charge.micros, quantity: charge.quantity }];
  const micros = shareOut(charge.micros, weights);
  const quantities = shareOut(charge.quantity, weights);
  return held.map((each, i) => {
    if (charge.kind === "burst") each.unitMsLeft -= quantities[i]!;
    return { charge, key: keyOf(each.usage), micros: micros[i]!, quantity: quantities[i]! };
  });
}

function ofFloor(charge: Charge, held: readonly Held[], keyOf: (usage: Usage) => string): HolderPart[] {
  const covered = held.map(({ usage, unitMsLeft }) => least(weightOf(usage, charge), unitMsLeft));
  const sum = covered.reduce((total, each) => total + each, 0n);
  const taken = sum <= charge.quantity ? covered : shareOut(charge.quantity, covered);
  const unheld = sum <= charge.quantity ? charge.quantity - sum : 0n;
  const micros = shareOut(charge.micros, [...taken, unheld]);
  const parts: HolderPart[] = held.map((each, i) => {
    each.unitMsLeft -= taken[i]!;
    return { charge, key: keyOf(each.usage), micros: micros[i]!, quantity: taken[i]! };
  });
  parts.push({ charge, micros: micros.at(-1)!, quantity: unheld });
  return parts.filter((part) => part.quantity !== 0n || part.micros !== 0n);
}

function least(a: bigint, b: bigint): bigint {
  const least = a < b ? a : b;
  return least < 0n ? 0n : least;
}

export function isGpu({ kind }: Pick<LineKey, "kind">): boolean {
  return kind === "burst" || kind === "reserved" || kind === "stranded";
}

function weightOf(usage: Usage, { kind, fromAt, toAt }: Charge): bigint {
  const ms = BigInt(Math.min(usage.toAt, toAt) - Math.max(usage.fromAt, fromAt));
  if (kind === "cpu") return ms * BigInt(usage.cpusMilli);
  if (kind === "memory") return ms * BigInt(usage.memoryMiB);
  return ms * unitsOf(usage);
}

function unitsOf({ unitsEach, gpus }: Usage): bigint {
  return BigInt(unitsEach * gpus.length);
}

function hourOf(at: Instant): number {
  return Math.floor(at / hour);
}
