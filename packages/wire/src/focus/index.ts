export { focusCsv } from "./csv.ts";
export { focusRows } from "./rows.ts";
