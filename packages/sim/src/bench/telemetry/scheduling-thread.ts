import { parentPort } from "node:worker_threads";
import { type CaseName, cases } from "../scheduler/cases.ts";

/** Runs a case of the scheduler's own benchmark when it is asked to. */
parentPort!.on("message", async ({ name, gpus, seed }: { name: CaseName; gpus: number; seed: number }) => {
  parentPort!.postMessage(await cases[name](gpus, seed));
});
