import type { LeaseOrder, LogLine } from "@tessera/engine";
import type { Commands } from "@tessera/engine/suite";

/** Commands for members that KWOK plays: words which `simulatedRun` turns into those of the lab. */
export const simulatedCommands: Commands = {
  succeed: "true",
  exitWith: (code) => `exit ${code}`,
  runForever: "forever",
  ignoreTerm: "deaf",
  beDone: "true",
  saveInChild: (text) => `saves ${text}`,
  sleepMs: (ms) => `sleep ${ms}`,
  print: (text) => `print ${text}`,
};

/** The order with the words by which KWOK plays it. */
export function simulatedOrder(order: LeaseOrder): LeaseOrder {
  let runMs = 100;
  let words = "";
  let ends = true;
  for (const part of order.run.split("; ")) {
    const [verb, value] = part.split(" ");
    if (verb === "sleep") runMs += Number(value);
    if (verb === "exit") words += ` sim-exit-code=${value}`;
    if (verb === "forever" || verb === "saves") ends = false;
    if (verb === "deaf") {
      ends = false;
      words += " sim-stop=never";
    }
  }
  return { ...order, env: { ...order.env, SIM: `${ends ? `sim-run-for=${runMs}ms` : ""}${words}` } };
}

/** What it would have printed by now: nothing prints on a simulated node. */
export function simulatedLines(order: LeaseOrder, rank: number): LogLine[] {
  const printed = order.run.split("; ").filter((part) => part.startsWith("print "));
  return printed.map((part) => ({ at: 0, rank, stream: "stdout", text: part.slice("print ".length) }));
}
