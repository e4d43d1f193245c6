import type { InvoiceShape, LineExplanation } from "@tessera/wire";
import { call } from "../../api/call.ts";
import { saveFile } from "../../format/csv.ts";

/** As whose the console shows and hands out invoices: `tess invoice --issuer` can name a company. */
export const issuer = "Tessera";

/** Hands the user an invoice as a FOCUS file: every line is explained first. */
export async function saveFocusFile(at: { account: string; period: string }, invoice: InvoiceShape): Promise<void> {
  const { focusCsv, focusRows } = await import("@tessera/wire/focus");
  const explanations: LineExplanation[] = [];
  for (const { line } of invoice.lines) {
    explanations.push(await call("explainLine", { at: { ...at, line: String(line) } }));
  }
  const text = focusCsv(focusRows({ invoice, explanations, provider: issuer }));
  saveFile(`focus-${at.account}-${invoice.period}.csv`, text);
}
