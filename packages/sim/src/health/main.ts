import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type ReplayRow, replayLog } from "./replay.ts";

/** `npm run health:replay -- --json`: a kernel log against a simulated fleet, and what became of each node and job. */
const { values } = parseArgs({ options: { json: { type: "boolean", default: false }, log: { type: "string" } } });
const file = values.log ?? fileURLToPath(new URL("../../src/health/kernel-log.txt", import.meta.url));
const lines = readFileSync(file, "utf8")
  .split("\n")
  .filter((line) => line.includes("NVRM: Xid"));
const replayed = await replayLog(lines);
if (values.json) console.log(JSON.stringify(replayed));
else
  console.log(
    `${tableOf(replayed.rows)}\n\n${replayed.kinds} kinds of Xid; wrong: ${replayed.wrong.join(", ") || "none"}`,
  );
if (replayed.wrong.length > 0) process.exitCode = 1;

function tableOf(rows: readonly ReplayRow[]): string {
  const titles = ["xid", "action", "node", "mode", "became", "retriesUsed", "creditedMinutes", "repair"] as const;
  const cells = [[...titles], ...rows.map((row) => titles.map((title) => String(row[title])))];
  const widths = titles.map((_, i) => Math.max(...cells.map((each) => each[i]!.length)));
  return cells
    .map((each) =>
      each
        .map((text, i) => text.padEnd(widths[i]!))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
