import type { InvoiceLine } from "./charge.ts";

/** A line as it was invoiced. */
export interface IssuedLine {
  /** `INV-000041/7`. */
  readonly name: string;
  readonly line: InvoiceLine;
}

/**
 * What a closed period comes to by what is known now, less what was invoiced for it: one line for each difference, in
 * the next open period, naming the line that it puts right. Lines that rating knows nothing of (minimum, earlier
 * corrections that name no line) are left alone.
 */
export function correctionsOf(issued: readonly IssuedLine[], now: readonly InvoiceLine[]): InvoiceLine[] {
  const before = new Map<string, { name: string; line: InvoiceLine; quantity: bigint; micros: bigint }>();
  const keyByName = new Map<string, string>();
  for (const { name, line } of issued) {
    if (line.kind === "minimum" || line.kind === "idle" || line.kind === "correction") continue;
    before.set(keyOf(line), { name, line, quantity: line.quantity, micros: line.micros });
    keyByName.set(name, keyOf(line));
  }
  for (const { line } of issued) {
    const corrected = line.kind === "correction" ? before.get(keyByName.get(line.corrects ?? "") ?? "") : undefined;
    if (corrected === undefined) continue;
    corrected.quantity += line.quantity;
    corrected.micros += line.micros;
  }
  const found: InvoiceLine[] = [];
  const seen = new Set<string>();
  for (const line of now) {
    const key = keyOf(line);
    seen.add(key);
    const known = before.get(key);
    const micros = line.micros - (known?.micros ?? 0n);
    const quantity = line.quantity - (known?.quantity ?? 0n);
    if (micros !== 0n || quantity !== 0n) found.push(correction(line, quantity, micros, known?.name));
  }
  for (const [key, { name, line, quantity, micros }] of before) {
    if (!seen.has(key) && (micros !== 0n || quantity !== 0n)) found.push(correction(line, -quantity, -micros, name));
  }
  return found;
}

function correction(line: InvoiceLine, quantity: bigint, micros: bigint, corrects: string | undefined): InvoiceLine {
  return { ...line, kind: "correction", quantity, micros, ...(corrects !== undefined && { corrects }) };
}

function keyOf(line: InvoiceLine): string {
  const { kind, account, model, profile, isolation, topology, version, perMille, numerator, denominator } = line;
  return [kind, account, model, profile, isolation, topology, version, perMille, numerator, denominator].join("\t");
}
