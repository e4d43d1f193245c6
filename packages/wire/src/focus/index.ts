export * from "./columns.ts";
export * from "./csv.ts";
export * from "./rows.ts";
