import { DecisionLog } from "../trace/decision-log.ts";
import type { Result } from "./result.ts";

/** Writes the decisions in their order: a row for each node of each start; `from` is 0 of the trace's clock. */
export function writeLog(path: string, { jobs }: Result, from: number): void {
  const rows = jobs.flatMap(({ arrival: { name }, stints, endedAt }) => {
    if (stints.length === 0) return [{ name, node: "", devices: [], at: endedAt, until: endedAt }];
    return stints.flatMap(({ seats, placedAt, endedAt: until }) =>
      seats.map(({ node, devices }) => ({ name, node, devices, at: placedAt, until })),
    );
  });
  rows.sort((a, b) => a.at - b.at); // stable: what one instant saw stays in the order of arrival
  const log = new DecisionLog(path);
  for (const { name, node, devices, at, until } of rows) {
    const [start, end] = [(at - from) / 1_000, (until - from) / 1_000];
    log.write({ task: name, node, devices, milli: 1_000, start, end });
  }
  log.close();
}
