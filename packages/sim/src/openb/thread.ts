import { parentPort, workerData } from "node:worker_threads";
import { DecisionLog } from "../trace/decision-log.ts";
import { runWithDepartures } from "./departures.ts";
import type { RunOrder, Setting } from "./many.ts";
import { policyOf } from "./policies.ts";
import { readNodes, readTasks } from "./read.ts";
import { type RunInput, runOnce } from "./run.ts";

// One thread of many: reads the files once, then runs what it is sent until it is told to stop.
const { nodes, tasks, order, mix, arrivedPercents, departures } = workerData as Setting;
const [nodeList, list] = [readNodes(nodes), readTasks(tasks)];

parentPort!.on("message", ({ policy, seed, log }: RunOrder) => {
  const decisions = log === undefined ? undefined : new DecisionLog(log);
  const from = performance.now();
  const input: RunInput = {
    ...{ nodes: nodeList, list, order, seed, policy: policyOf(policy, mix, departures) },
    ...(decisions && { log: decisions }),
  };
  const marks = departures
    ? arrivedPercents.map((percent) => runWithDepartures(input, percent))
    : runOnce(input, arrivedPercents);
  decisions?.close();
  parentPort!.postMessage({ marks, ms: performance.now() - from });
});
