import { Agent, get } from "node:http";
import { parentPort, workerData } from "node:worker_threads";

/** Asks /healthz again and again, on a thread of its own, and tells the worst delay since it was last asked for it. */
const agent = new Agent({ keepAlive: true, maxSockets: 4 });
const everyMs = 10;
let worst = 0;
let asked = 0;

function ask() {
  const startedAt = performance.now();
  const done = () => {
    worst = Math.max(worst, performance.now() - startedAt);
    asked += 1;
  };
  const request = get(`${workerData}/healthz`, { agent, timeout: 60_000 }, (answer) => {
    answer.resume();
    answer.on("end", done);
  });
  request.on("error", done);
  setTimeout(ask, everyMs);
}

parentPort.on("message", () => {
  parentPort.postMessage({ worst, asked });
  worst = 0;
  asked = 0;
});
ask();
