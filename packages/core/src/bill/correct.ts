import type { ChargeKind, InvoiceLine } from "../money/charge.ts";

/** A line as it was invoiced. */
export interface IssuedLine {
  /** `INV-000041/7`. */
  readonly name: string;
  readonly line: InvoiceLine;
}

/** What a closed period has come to on invoices: its own line, where there is one, and all corrections of it. */
interface Booked {
  readonly name: string | undefined;
  readonly line: InvoiceLine;
  quantity: bigint;
  micros: bigint;
}

/**
 * What a closed period comes to by what is known now, less what was invoiced for it, corrections included: one line for
 * each difference, in the next open period, naming the period and the line that it puts right. `issued` are the lines of
 * its own invoice and of all later ones. What is not rated (a minimum, the price of idle GPUs) is left alone.
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
    if (micros !== 0n || quantity !== 0n)
      found.push(correction(period, line, line.kind, quantity, micros, known?.name));
  }
  for (const [key, { name, line, quantity, micros }] of booked) {
    if (seen.has(key) || (micros === 0n && quantity === 0n)) continue;
    found.push(correction(period, line, line.correctsKind ?? line.kind, -quantity, -micros, name));
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
    // Corrections from before they named their period name a line.
    const named = keyByName.get(line.corrects ?? "");
    if (named === undefined && (line.correctsPeriod !== period || line.correctsKind === undefined)) continue;
    const key = named ?? keyOf(line, line.correctsKind!);
    const known = booked.get(key) ?? { name: undefined, line, quantity: 0n, micros: 0n };
    known.quantity += line.quantity;
    known.micros += line.micros;
    booked.set(key, known);
  }
  return booked;
}

function isRated({ kind }: InvoiceLine): boolean {
  return kind !== "minimum" && kind !== "idle" && kind !== "correction";
}

function correction(
  correctsPeriod: string,
  line: InvoiceLine,
  correctsKind: ChargeKind,
  quantity: bigint,
  micros: bigint,
  corrects: string | undefined,
): InvoiceLine {
  const { corrects: _corrects, ...rest } = line;
  const about = { correctsPeriod, correctsKind, ...(corrects !== undefined && { corrects }) };
  return { ...rest, kind: "correction", quantity, micros, ...about };
}

function keyOf(line: InvoiceLine, kind: ChargeKind): string {
  const { account, model, profile, isolation, topology, version, perMille, numerator, denominator } = line;
  return [kind, account, model, profile, isolation, topology, version, perMille, numerator, denominator].join("\t");
}
