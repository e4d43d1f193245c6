import { amountText, correctedBy, decimalText } from "./money.ts";
import type { InvoiceShape, LineShape } from "./shapes/money.ts";

/** An invoice as a page of its own that prints on A4: no script, no font or picture from elsewhere. */
export function invoicePage(invoice: InvoiceShape, issuer: string): string {
  const { number, tenant, period, currency } = invoice;
  const money = (micros: string) => amountText(micros, currency);
  const name = number === "" ? `Draft for ${period}` : number;
  const byAccount = Map.groupBy(invoice.lines, ({ account }) => account);
  const groups = [...byAccount].map(([account, lines]) => accountRows(account, lines, money));
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${text(name)} · ${text(tenant)}</title><style>${style}</style></head><body>
<header><div><h1>${invoice.mode === "showback" ? "Cost statement" : "Invoice"}</h1><p class="number">${text(name)}</p></div>
<dl><dt>From</dt><dd>${text(issuer)}</dd><dt>To</dt><dd>${text(tenant)}</dd><dt>Period</dt><dd>${text(period)} (${text(invoice.tz)})</dd>
${invoice.issuedAt === undefined ? "" : `<dt>Issued</dt><dd>${text(invoice.issuedAt.slice(0, 10))}</dd>`}</dl></header>
<table><thead><tr><th>Line</th><th>For</th><th class="n">Quantity</th><th class="n">Price</th><th class="n">${text(currency)}</th></tr></thead>
${groups.join("\n")}
<tfoot><tr><td colspan="4">Charges</td><td class="n">${money(invoice.chargesMicros)}</td></tr>
<tr><td colspan="4">Credits</td><td class="n">${money(invoice.creditsMicros)}</td></tr>
<tr><td colspan="4">Rounding</td><td class="n">${money(invoice.roundingMicros)}</td></tr>
<tr class="total"><td colspan="4">Total</td><td class="n">${money(invoice.totalMicros)}</td></tr></tfoot></table>
<footer><p>Made from usage with the root <code>${text(invoice.extractRoot)}</code>, rated by version ${invoice.ratingVersion}.
Check it with <code>tess invoice verify ${text(number === "" ? `draft:${tenant}` : number)}</code>.</p></footer>
</body></html>
`;
}

const style = `@page{size:A4;margin:18mm}body{font:14px/1.45 system-ui,sans-serif;color:#1c2430;background:#fff;max-width:60rem;margin:2rem auto;padding:0 1rem}
header{display:flex;justify-content:space-between;gap:2rem;border-bottom:2px solid #1c2430;padding-bottom:1rem}h1{margin:0;font-size:1.6rem}
.number{font-size:1.1rem;margin:.2rem 0}dl{display:grid;grid-template-columns:auto auto;gap:.1rem 1rem;margin:0}dt{color:#5a6675}dd{margin:0}
table{width:100%;border-collapse:collapse;margin-top:1.2rem}th{text-align:left;border-bottom:1px solid #5a6675}th,td{padding:.28rem .5rem;vertical-align:top}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}tbody tr.head td{font-weight:600;padding-top:.8rem}tr{break-inside:avoid}
tfoot td{border-top:1px solid #dde3ea}tr.total td{font-weight:700;font-size:1.1rem;border-top:2px solid #1c2430}
footer{margin-top:2rem;color:#5a6675;font-size:.85rem}code{overflow-wrap:anywhere}`;

function accountRows(account: string, lines: readonly LineShape[], money: (micros: string) => string): string {
  const sum = lines.reduce((total, { micros }) => total + BigInt(micros), 0n);
  const rows = lines.map(
    (line) =>
      `<tr><td>${line.line}</td><td>${text(whatFor(line))}</td><td class="n">${text(quantityText(line))}</td><td class="n">${text(priceText(line))}</td><td class="n">${money(line.micros)}</td></tr>`,
  );
  return `<tbody><tr class="head"><td></td><td colspan="3">${text(account)}</td><td class="n">${money(`${sum}`)}</td></tr>${rows.join("")}</tbody>`;
}

/** A line in words: what it is for, of which model and how it was held. */
export function whatFor(line: LineShape): string {
  const { kind, model, profile, isolation, topology, perMille, pool, poolPerMille = 1_000 } = line;
  const parts = [
    model === "*" ? "any model" : model,
    profile,
    isolation,
    topology === "" ? "" : `in one ${topology}`,
  ].filter((part) => part !== "");
  const inPool =
    pool === undefined ? "" : `, pool ${pool}${poolPerMille === 1_000 ? "" : ` x ${poolPerMille / 1_000}`}`;
  const at = perMille === 1_000 ? "" : `, time of day x ${perMille / 1_000}`;
  const corrected = correctedBy(line);
  const of = corrected === "" ? "" : `, corrects ${corrected}`;
  return `${kindTexts[kind] ?? kind}${parts.length === 0 ? "" : `: ${parts.join(" ")}`}${inPool}${at}${of}`;
}

const kindTexts: { readonly [kind: string]: string } = {
  reserved: "Guaranteed GPUs, used or not",
  burst: "GPUs beyond the guarantee",
  cpu: "CPU cores",
  memory: "Memory",
  stranded: "GPUs that no other job could use",
  idle: "Share of idle GPUs",
  minimum: "Difference to the minimum charge",
  lent: "Credit for lent GPUs",
  "lost-work": "Credit for work lost by eviction",
  correction: "Correction",
};

const units = { "gpu-hour": "GPU-h", "core-hour": "core-h", "gib-hour": "GiB-h", none: "" } as const;

function quantityText({ hours, unit }: LineShape): string {
  return unit === "none" ? "" : `${hours} ${units[unit]}`;
}

function priceText({ unitPriceMicros, unit }: LineShape): string {
  const [numerator = "", denominator = "1"] = unitPriceMicros.split("/");
  if (unit === "none" || !/^\d+$/.test(numerator) || !/^[1-9]\d*$/.test(denominator)) return "";
  return decimalText(BigInt(numerator) / BigInt(denominator), 4);
}

function text(value: string): string {
  return value.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
