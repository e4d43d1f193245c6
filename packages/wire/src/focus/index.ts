export { focusCsv } from "./columns.ts";
export { focusRows } from "./rows.ts";
