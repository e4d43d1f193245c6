import type { InvoiceShape, InvoiceSummary, LineExplanation, LineShape } from "@tessera/wire";
import { correctedBy, moneyText } from "@tessera/wire/money";
import type { Command } from "commander";
import { usageFailure } from "../../failure.ts";
import { examples } from "../../help.ts";
import type { Api } from "../../http.ts";
import type { Query } from "../../nouns/noun.ts";
import type { Column } from "../../output/column.ts";
import { emitObject, listText } from "../../output/emit.ts";
import { fieldsText } from "../../output/fields.ts";
import { renderTable } from "../../output/table.ts";
import { instantText } from "../../output/time.ts";
import type { Session } from "../../session.ts";
import { addListFlags, emitPage, type ListFlags, limitOf } from "../../verbs/list.ts";
import { fetchPages } from "../../verbs/pages.ts";
import { type InvoicePlace, placeOf } from "./invoice-place.ts";
import { addVerify } from "./invoice-verify.ts";

interface ExportFlags {
  readonly issuer: string;
}

export function define(command: Command, session: Session): void {
  examples(command.description("Shows, explains, checks and exports invoices. A draft is called draft:TENANT."), [
    "tess invoice list",
    "tess invoice show INV-000001",
    "tess invoice explain INV-000001/3",
    "tess invoice verify INV-000001",
  ]);

  const list = command
    .command("list")
    .summary("list invoices, drafts of the open month first")
    .description("Lists invoices, drafts of the open month first.")
    .option("--account <account>", "only this tenant's");
  addListFlags(list);
  examples(list, ["tess invoice list", "tess invoice list --account lab -o csv"]);
  list.action(async ({ account, ...flags }: ListFlags & { account?: string }) => {
    const query = account === undefined ? {} : { account };
    const list = { page: (api: Api, query: Query) => api.call("listInvoices", { query }) };
    const page = await fetchPages(list, await session.api(), query, limitOf(flags));
    await emitPage(session, { columns: summaryColumns, nameOf: invoiceName, plural: "invoices" }, page, flags);
  });

  const show = command
    .command("show")
    .summary("show an invoice with its lines")
    .description("Shows an invoice with its lines; -o csv gives the lines.")
    .argument("<invoice>", "its number, or draft:TENANT");
  examples(show, ["tess invoice show INV-000001", "tess invoice show draft:lab -o csv"]);
  show.action(async (name: string) => {
    const api = await session.api();
    const invoice = await api.call("getInvoice", { at: await placeOf(api, name) });
    if (session.format === "csv") {
      const view = { columns: lineColumns(invoice.currency), nameOf: ({ line }: LineShape) => String(line) };
      return session.print(listText(session, invoice.lines, view, {}));
    }
    await emitObject(session, invoice, name, (value) => invoiceText(session, value));
  });

  const explain = command
    .command("explain")
    .summary("show the leases and the arithmetic behind a line")
    .description("Shows the leases and the arithmetic behind a line.")
    .argument("<line>", "invoice and line, such as INV-000001/3 or draft:lab/3");
  examples(explain, ["tess invoice explain INV-000001/3"]);
  explain.action(async (name: string) => {
    const [invoice, line] = lineOf(name);
    const api = await session.api();
    const explanation = await api.call("explainLine", { at: { ...(await placeOf(api, invoice)), line } });
    await emitObject(session, explanation, name, (value) => explanationText(session, name, value));
  });

  addVerify(command, session);

  const focus = command
    .command("focus")
    .summary("write an invoice as a FOCUS 1.2 file")
    .description("Writes the hours of an invoice in the columns of FOCUS 1.2, as CSV, to standard output.")
    .argument("<invoice>", "its number, or draft:TENANT")
    .option("--issuer <name>", "who writes the invoice", "Tessera");
  examples(focus, ["tess invoice focus INV-000001 > november.csv"]);
  focus.action(async (name: string, { issuer }: ExportFlags) => {
    const api = await session.api();
    const at = await placeOf(api, name);
    const invoice = await api.call("getInvoice", { at });
    const { focusCsv, focusRows } = await import("@tessera/wire/focus");
    const explanations = await explainAll(api, at, invoice);
    await session.print(focusCsv(focusRows({ invoice, explanations, provider: issuer })));
  });

  const page = command
    .command("page")
    .summary("write an invoice as a page for printing")
    .description("Writes an invoice as an HTML page of its own, which prints on A4, to standard output.")
    .argument("<invoice>", "its number, or draft:TENANT")
    .option("--issuer <name>", "who writes the invoice", "Tessera");
  examples(page, ["tess invoice page INV-000001 > invoice.html"]);
  page.action(async (name: string, { issuer }: ExportFlags) => {
    const api = await session.api();
    const invoice = await api.call("getInvoice", { at: await placeOf(api, name) });
    const { invoicePage } = await import("@tessera/wire");
    await session.print(invoicePage(invoice, issuer));
  });

  const close = command
    .command("close")
    .summary("close a month and write its invoices")
    .description("Closes a month that is over and writes its invoices. Later corrections go into the next month.")
    .argument("<month>", "such as 2026-10");
  examples(close, ["tess invoice close 2026-10"]);
  close.action(async (period: string) => {
    const closed = await (await session.api()).call("closePeriod", { body: { period } });
    const view = { columns: summaryColumns, nameOf: invoiceName };
    const nothing = `${period} is closed. There was nothing to bill: no invoice was written.\n`;
    await emitObject(session, closed, period, ({ invoices }) =>
      invoices.length === 0 ? nothing : listText(session, invoices, view, {}),
    );
  });
}

/** Every line of an invoice taken apart. */
async function explainAll(api: Api, at: InvoicePlace, invoice: InvoiceShape): Promise<LineExplanation[]> {
  const explanations: LineExplanation[] = [];
  for (const { line } of invoice.lines) {
    explanations.push(await api.call("explainLine", { at: { ...at, line: String(line) } }));
  }
  return explanations;
}

function lineOf(name: string): [string, string] {
  const match = /^(.+)\/(\d{1,9})$/.exec(name);
  if (match === null) throw usageFailure(`there is no line in "${name}"`, "such as INV-000001/3");
  return [match[1]!, match[2]!];
}

function invoiceName({ number, tenant }: InvoiceSummary): string {
  return number === "" ? `draft:${tenant}` : number;
}

const summaryColumns: readonly Column<InvoiceSummary>[] = [
  { name: "invoice", text: invoiceName },
  { name: "tenant", text: ({ tenant }) => tenant, shrinks: true },
  { name: "period", text: ({ period }) => period },
  { name: "mode", text: ({ mode }) => mode, drops: true },
  { name: "status", text: ({ status }) => status },
  {
    name: "total",
    text: ({ totalMicros, currency }) => moneyText(totalMicros, currency),
    raw: ({ totalMicros }) => Number(totalMicros),
    right: true,
  },
];

function lineColumns(currency: string): readonly Column<LineShape>[] {
  return [
    { name: "line", text: ({ line }) => String(line), raw: ({ line }) => line, right: true },
    { name: "account", text: ({ account }) => account, shrinks: true },
    { name: "kind", text: ({ kind }) => kind },
    { name: "model", text: ({ model, profile }) => [model, profile].filter((part) => part !== "").join(" ") },
    {
      name: "how",
      text: ({ isolation, topology, perMille, pool = "" }) =>
        [isolation, topology, pool, perMille === 1_000 ? "" : `x ${perMille / 1_000}`]
          .filter((part) => part !== "")
          .join(" "),
      drops: true,
    },
    { name: "hours", text: ({ hours, unit }) => (unit === "none" ? "" : hours), right: true },
    { name: "prices", text: ({ version }) => version, drops: true },
    { name: "amount", text: ({ micros }) => moneyText(micros, currency), raw: ({ micros }) => micros, right: true },
    { name: "quantity", text: ({ quantity }) => quantity, wide: true, right: true },
    { name: "price", text: ({ unitPriceMicros }) => unitPriceMicros, wide: true, right: true },
    { name: "corrects", text: correctedBy, wide: true },
  ];
}

function invoiceText(session: Session, invoice: InvoiceShape): string {
  const { paint } = session;
  const { currency } = invoice;
  const width = session.terminal.stdout.columns;
  const columns = lineColumns(currency).filter(({ wide }) => session.format === "wide" || wide !== true);
  const lines = renderTable(columns, invoice.lines, { headers: true, paint, now: session.now(), width });
  const head = `${paint("bold", invoiceName(invoice))} for ${invoice.tenant}, ${invoice.period} (${invoice.tz}), ${invoice.mode}, ${invoice.status}\n\n`;
  const sums = fieldsText(
    [
      ["charges", moneyText(invoice.chargesMicros, currency)],
      ["credits", moneyText(invoice.creditsMicros, currency)],
      ["rounding", moneyText(invoice.roundingMicros, currency)],
      ["total", moneyText(invoice.totalMicros, currency)],
    ],
    paint,
  );
  return `${head}${lines}\n${sums}`;
}

/** The arithmetic for people; the exact one follows it. */
function sumText({ hours, unit, unitPriceMicros, micros }: LineShape, currency: string): string {
  const [numerator = "", denominator = "1"] = unitPriceMicros.split("/");
  if (unit === "none" || !/^\d+$/.test(numerator)) return "";
  const price = moneyText(String(BigInt(numerator) / BigInt(denominator)), currency);
  return `${hours} ${unit}s x ${price} = ${moneyText(micros, currency)}\n`;
}

function explanationText(
  session: Session,
  name: string,
  { line, currency, arithmetic, hours, stretches }: LineExplanation,
): string {
  const { paint } = session;
  const width = session.terminal.stdout.columns;
  const shown = { headers: true, paint, now: session.now(), width };
  type Stretch = LineExplanation["stretches"][number];
  const stretchColumns: Column<Stretch>[] = [
    { name: "job", text: ({ job }) => job },
    { name: "state", text: ({ state }) => state },
    { name: "node", text: ({ node }) => node },
    { name: "gpus", text: ({ gpus }) => String(gpus), right: true },
    { name: "from", text: ({ from }) => instantText(from) },
    { name: "to", text: ({ to }) => instantText(to) },
  ];
  const behind = stretches.length === 0 ? "" : `\n${renderTable(stretchColumns, stretches, shown)}`;
  return `${paint("bold", name)} ${line.kind} of ${line.account}\n${sumText(line, currency)}${arithmetic}\n${paint("dim", `${hours.length} priced ${hours.length === 1 ? "hour" : "hours"}`)}\n${behind}`;
}
