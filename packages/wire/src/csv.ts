/** Rows as RFC 4180 text. Each line ends in `end`: a file has CRLF; what is piped into other programs has a line feed. */
export function csvText(rows: readonly (readonly string[])[], end: "\r\n" | "\n" = "\r\n"): string {
  return rows.map((row) => `${row.map(cell).join(",")}${end}`).join("");
}

/**
 * A spreadsheet runs a text that begins like a formula, and users choose names: an apostrophe makes it plain text.
 * Numbers keep their sign.
 */
function cell(text: string): string {
  const isFormula = /^[=+\-@\t\r]/.test(text) && !/^[+-]?\d+(\.\d+)?$/.test(text);
  const plain = isFormula ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
