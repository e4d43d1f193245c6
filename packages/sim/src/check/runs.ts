import type { Ask, Row } from "./inputs.ts";
import type { Rule, Step } from "./replay.ts";

type Report = (rule: Rule, row: Row, what: string) => void;

/** What must hold for each task by itself: the shape it asked for, all of it at once, and its whole run time. */
export function checkRuns(
  steps: readonly Step[],
  dropped: readonly { row: Row; ask: Ask }[],
  devicesPerNodeMax: number,
  report: Report,
): void {
  const byTask = Map.groupBy(steps, ({ task }) => task);
  for (const step of steps) checkShape(step, report);
  for (const { row } of dropped) if (byTask.has(row.task)) report("gang", row, "dropped, and placed in another row");
  for (const rows of byTask.values()) {
    const runs = [...Map.groupBy(rows, ({ start }) => start).values()].sort((a, b) => a[0]!.start - b[0]!.start);
    for (const run of runs) checkGang(run, devicesPerNodeMax, report);
    checkTime(runs, report);
  }
}

function checkShape(step: Step, report: Report): void {
  const { ask, machine, devices, milli, node } = step;
  if (new Set(devices).size < devices.length) report("slice", step, `a device of ${node} is named twice`);
  for (const device of devices) {
    if (!Number.isInteger(device) || device < 0 || device >= machine.devices) {
      report("unknown", step, `${node} has no device ${device}`);
    }
  }
  if (milli !== ask.milli) report("slice", step, `holds ${milli} of a GPU on each device, asked for ${ask.milli}`);
  if (milli > 1000) report("slice", step, `holds ${milli} thousandths of one GPU`);
  if (ask.devices > 0 && ask.models.length > 0 && !ask.models.includes(machine.model)) {
    report("model", step, `${node} has ${machine.model || "no model"}, asked for ${ask.models.join(" or ")}`);
  }
}

/** All members at once, on one node where one node can hold them, else on as few as can. */
function checkGang(run: readonly Step[], devicesPerNodeMax: number, report: Report): void {
  const [first] = run;
  const { ask } = first!;
  const held = run.reduce((sum, { devices }) => sum + devices.length, 0);
  const nodes = new Set(run.map(({ node }) => node)).size;
  const nodesNeeded = Math.max(1, Math.ceil(ask.devices / devicesPerNodeMax));
  // A gang larger than a node takes whole nodes, the last one too.
  const whole = nodesNeeded > 1 ? nodesNeeded * devicesPerNodeMax : ask.devices;
  if (held !== ask.devices && held !== whole) {
    report("gang", first!, `holds ${held} devices, asked for ${ask.devices}`);
  }
  if (nodes < run.length) report("gang", first!, "names one node twice");
  if (nodes > nodesNeeded) report("gang", first!, `is spread over ${nodes} nodes where ${nodesNeeded} can hold it`);
  if (run.some(({ end }) => end !== first!.end)) report("gang", first!, "its members do not end together");
}

function checkTime(runs: readonly (readonly Step[])[], report: Report): void {
  const { ask } = runs[0]![0]!;
  let ran = 0;
  let before = ask.submittedAt ?? 0;
  let what = "before it was submitted";
  for (const [step] of runs) {
    if (step!.end < step!.start) report("time", step!, `ends at ${step!.end}, before it starts`);
    // Half a millisecond: times of a trace in milliseconds are written as seconds.
    if (step!.start < before - 0.0005) report("time", step!, `starts at ${step!.start}, ${what} at ${before}`);
    ran += step!.end - step!.start;
    before = step!.end;
    what = "before its earlier run ended";
  }
  if (ask.submittedAt === undefined && runs.length > 1) report("time", runs[1]![0]!, "is placed twice");
  if (ask.runs !== undefined && ran < ask.runs - 0.0005) {
    report("time", runs.at(-1)![0]!, `ran ${ran} s in all, needs ${ask.runs}`);
  }
}
