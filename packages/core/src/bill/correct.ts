import type { ChargeKind, InvoiceLine } from "../money/charge.ts";

/** A line as it was invoiced. */
export interface IssuedLine {
  /** `INV-000041/7`. */
  readonly name: string;
  readonly line: InvoiceLine;
}

/** What was invoiced for one key of a closed period: its own line, if there is one, and all corrections. */
interface Booked {
  readonly name: string | undefined;
  readonly line: InvoiceLine;
  quantity: bigint;
  micros: bigint;
}

/**
 * The difference between what a closed period amounts to as known now and what was invoiced for it, earlier corrections
 * included. Each difference is a line of the next open period that names the period and the line it corrects. `issued`
 * are the lines of the period's own invoice and of all later ones. Lines that are not rated (a minimum, a share of idle
 * GPUs) are not corrected.
 */
export function correctionsOf(
  period: string,
  issued: readonly IssuedLine[],
  now: readonly InvoiceLine[],
): InvoiceLine[] {
  const booked = bookedOf(period, issued);
  const found: InvoiceLine[] = [];
  const seen = new Set<string>();
  for (const line of now.filter(isRated)) {
    const key = keyOf(line, line.kind);
    seen.add(key);
    const known = booked.get(key);
    const micros = line.micros - (known?.micros ?? 0n);
    const quantity = line.quantity - (known?.quantity ?? 0n);
    if (micros === 0n && quantity === 0n) continue;
    found.push(correction(line, { quantity, micros, period, kind: line.kind, corrects: known?.name }));
  }
  for (const [key, { name, line, quantity, micros }] of booked) {
    if (seen.has(key) || (micros === 0n && quantity === 0n)) continue;
    const kind = line.correctsKind ?? line.kind;
    found.push(correction(line, { quantity: -quantity, micros: -micros, period, kind, corrects: name }));
  }
  return found;
}

function bookedOf(period: string, issued: readonly IssuedLine[]): Map<string, Booked> {
  const booked = new Map<string, Booked>();
  const keyByName = new Map<string, string>();
  for (const { name, line } of issued) {
    if (!isRated(line)) continue;
    const key = keyOf(line, line.kind);
    booked.set(key, { name, line, quantity: line.quantity, micros: line.micros });
    keyByName.set(name, key);
  }
  for (const { line } of issued) {
    if (line.kind !== "correction") continue;
    // Old corrections name a line but no period.
    const key = keyByName.get(line.corrects ?? "") ?? correctedKey(line, period);
    if (key === undefined) continue;
    const known = booked.get(key) ?? { name: undefined, line, quantity: 0n, micros: 0n };
    known.quantity += line.quantity;
    known.micros += line.micros;
    booked.set(key, known);
  }
  return booked;
}

/** The key that a correction changes; undefined where it corrects another period. */
function correctedKey(line: InvoiceLine, period: string): string | undefined {
  const { correctsPeriod, correctsKind } = line;
  return correctsPeriod === period && correctsKind !== undefined ? keyOf(line, correctsKind) : undefined;
}

function isRated({ kind }: InvoiceLine): boolean {
  return kind !== "minimum" && kind !== "idle" && kind !== "correction";
}

interface Difference {
  readonly quantity: bigint;
  readonly micros: bigint;
  readonly period: string;
  readonly kind: ChargeKind;
  /** The name of the line that is corrected, if there is one. */
  readonly corrects: string | undefined;
}

function correction(line: InvoiceLine, { quantity, micros, period, kind, corrects }: Difference): InvoiceLine {
  const { corrects: _corrects, ...rest } = line;
  const about = { correctsPeriod: period, correctsKind: kind, ...(corrects !== undefined && { corrects }) };
  return { ...rest, kind: "correction", quantity, micros, ...about };
}

function keyOf(line: InvoiceLine, kind: ChargeKind): string {
  const { account, model, profile, isolation, topology, version, perMille, numerator, denominator } = line;
  const gpu = [model, profile, isolation, topology];
  const ofPool = line.pool === undefined ? [] : [line.pool, line.poolPerMille];
  return [kind, account, ...gpu, version, perMille, numerator, denominator, ...ofPool].join("\t");
}
