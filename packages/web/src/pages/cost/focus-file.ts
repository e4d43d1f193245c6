import type { InvoiceShape, LineExplanation } from "@tessera/wire";
import { call } from "../../api/call.ts";

/** Hands the user an invoice as a FOCUS file: every line is taken apart first. */
export async function saveFocusFile(at: { account: string; period: string }, invoice: InvoiceShape): Promise<void> {
  const { focusCsv, focusRows } = await import("@tessera/wire/focus");
  const explanations: LineExplanation[] = [];
  for (const { line } of invoice.lines) {
    explanations.push(await call("explainLine", { at: { ...at, line: String(line) } }));
  }
  const text = focusCsv(focusRows({ invoice, explanations, provider: "Tessera" }));
  const address = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = `focus-${at.account}-${invoice.period}.csv`;
  link.click();
  URL.revokeObjectURL(address);
}
