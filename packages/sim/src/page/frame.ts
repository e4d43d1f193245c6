/** The colours of lines and bars, told apart by eyes that see few of them; for light, for dark. */
export const colours = ["var(--first)", "var(--second)", "var(--third)"] as const;

const style = `:root{color-scheme:light dark;--back:light-dark(#f4f6f8,#0e1116);--surface:light-dark(#fff,#161b22);--line:light-dark(#d5dbe3,#2d3643);
--text:light-dark(#0e1116,#f4f6f8);--quiet:light-dark(#4f5b6b,#a3afbf);--first:light-dark(#0072b2,#56b4e9);--second:light-dark(#c65d00,#f0a04b);--third:light-dark(#007a5a,#4fd0a5)}
*{box-sizing:border-box}body{margin:0;background:var(--back);color:var(--text);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,Arial,sans-serif}
main{max-width:1120px;margin:0 auto;padding:32px 20px 48px}h1{font-size:24px;line-height:1.25;margin:0 0 4px}h2{font-size:17px;margin:32px 0 10px}p{margin:4px 0}.quiet{color:var(--quiet)}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(140px,1fr));gap:12px;margin:20px 0}.tile,figure,.card{background:var(--surface);border:1px solid var(--line);border-radius:8px}
.tile{padding:12px 14px}.tile b{display:block;font-size:22px;line-height:1.3;font-weight:600;font-variant-numeric:tabular-nums}.tile span{color:var(--quiet);font-size:13px}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,460px),1fr));gap:16px}figure{margin:0;padding:14px 16px 10px;min-width:0}.wide{grid-column:1/-1}
figcaption{font-weight:600}figcaption span{display:block;font-weight:400;font-size:13px;color:var(--quiet)}svg{display:block;width:100%;height:auto;margin-top:6px}
svg text{font-size:12px;fill:var(--quiet);font-variant-numeric:tabular-nums}svg .name{fill:var(--text)}.grid{stroke:var(--line)}.keys{display:flex;flex-wrap:wrap;gap:4px 16px;font-size:13px;color:var(--quiet)}
.keys i{display:inline-block;width:12px;height:3px;border-radius:2px;margin-right:6px;vertical-align:4px}.bars{display:grid;grid-template-columns:minmax(auto,max-content) 1fr;gap:8px 14px;align-items:center;margin:12px 0 8px;font-size:13px}dt{text-align:right;overflow-wrap:anywhere;max-width:14em}dd{margin:0;min-width:0}
dd div{display:flex;align-items:center;gap:8px;line-height:1.35;color:var(--quiet);font-variant-numeric:tabular-nums;white-space:nowrap}dd i{flex:none;height:9px;border-radius:2px;width:max(2px,calc((100% - 90px)*var(--part)))}
.card{overflow:auto;padding:0 4px}pre.card{padding:14px 16px;font:13px/1.5 ui-monospace,Menlo,Consolas,monospace;margin:0}
table{border-collapse:collapse;width:100%;font-size:14px}th,td{text-align:left;padding:7px 12px;border-bottom:1px solid var(--line);font-variant-numeric:tabular-nums;white-space:nowrap}
th{color:var(--quiet);font-weight:500}tr:last-child td{border-bottom:0}@media print{body{background:none}}`;

/** A page of its own that opens from disk, light or dark as the reader's system is; `inside` is markup. */
export function framed(title: string, inside: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${escaped(title)}</title>
<style>${style}</style></head><body><main>
<h1>${escaped(title)}</h1>
${inside}
</main></body></html>
`;
}

/** Figures that matter most, each with what it is. */
export function tiles(all: readonly (readonly [value: string, what: string])[]): string {
  const each = all.map(
    ([value, what]) => `<div class="tile"><b>${escaped(value)}</b><span>${escaped(what)}</span></div>`,
  );
  return `<div class="tiles">${each.join("")}</div>`;
}

export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = (row: readonly string[], tag: string) =>
    row.map((cell) => `<${tag}>${escaped(cell)}</${tag}>`).join("");
  const body = rows.map((row) => `<tr>${cells(row, "td")}</tr>`).join("");
  return `<div class="card"><table><thead><tr>${cells(header, "th")}</tr></thead><tbody>${body}</tbody></table></div>`;
}

/** Text as it may stand in a page. */
export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
