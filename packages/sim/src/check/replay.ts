import { Ground } from "./ground.ts";
import type { AccountRule, Ask, Machine, Row } from "./inputs.ts";
import { checkRuns } from "./runs.ts";

export type Rule = "unknown" | "gang" | "slice" | "model" | "time" | "capacity" | "quota" | "trust" | "drop";

/** A rule that a row of the log breaks. */
export interface Breach {
  readonly rule: Rule;
  readonly line: number;
  readonly task: string;
  readonly what: string;
}

export interface Inputs {
  readonly machines: ReadonlyMap<string, Machine>;
  readonly asks: ReadonlyMap<string, Ask>;
  readonly rows: readonly Row[];
  readonly accounts: ReadonlyMap<string, AccountRule>;
}

/** A row with what it means. */
export interface Step extends Row {
  readonly ask: Ask;
  readonly machine: Machine;
  /** The first of the rows of one run of a gang; what counts once a task, counts there. */
  readonly first: boolean;
}

/** Replays a decision log from nothing and answers every rule that it breaks, in the order of the log. */
export function replay({ machines, asks, rows, accounts }: Inputs): Breach[] {
  const breaches: Breach[] = [];
  const report = (rule: Rule, { line, task }: Row, what: string) => breaches.push({ rule, line, task, what });
  const steps: Step[] = [];
  const dropped: { row: Row; ask: Ask }[] = [];
  const started = new Set<string>();
  for (const row of rows) {
    const ask = asks.get(row.task) ?? asks.get(row.task.replace(/#\d+$/, ""));
    const machine = machines.get(row.node);
    if (ask === undefined) report("unknown", row, `no task ${row.task} in the trace`);
    else if (row.node === "") dropped.push({ row, ask });
    else if (machine === undefined) report("unknown", row, `no node ${row.node}`);
    else {
      const run = `${row.task} ${row.start}`;
      steps.push({ ...row, ask, machine, first: !started.has(run) });
      started.add(run);
    }
  }
  checkRuns(steps, dropped, Math.max(...[...machines.values()].map(({ devices }) => devices)), report);
  checkGround(steps, dropped, new Ground(machines, accounts), report);
  return breaches.sort((a, b) => a.line - b.line);
}

/** Goes through the starts and ends in the order of time; at one instant what ends makes room first. */
function checkGround(
  steps: readonly Step[],
  dropped: readonly { row: Row; ask: Ask }[],
  ground: Ground,
  report: (rule: Rule, row: Row, what: string) => void,
): void {
  const moments = [
    ...steps
      .filter(({ start, end }) => end > start)
      .flatMap((step) => [
        { at: step.start, kind: 1, line: step.line, act: () => ground.take(step, report) },
        { at: step.end, kind: 0, line: step.line, act: () => ground.free(step) },
      ]),
    ...dropped
      .filter(({ ask }) => ask.submittedAt === undefined)
      .map(({ row, ask }) => ({ at: row.start, kind: 1, line: row.line, act: () => checkDrop(row, ask) })),
  ].sort((a, b) => a.at - b.at || a.kind - b.kind || a.line - b.line);
  for (const { act } of moments) act();

  function checkDrop(row: Row, ask: Ask): void {
    const node = ground.nodeFor(ask);
    if (node !== undefined) report("drop", row, `dropped, but ${node} has room for it`);
  }
}
