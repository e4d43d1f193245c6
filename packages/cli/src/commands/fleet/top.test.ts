import assert from "node:assert/strict";
import { test } from "node:test";
import type { TopRow, TopView } from "@tessera/wire";
import { tess } from "../../program.ts";
import { StandIn } from "../../testing/stand-in.ts";
import { FakeTerminal, runTess } from "../../testing/terminal.ts";

const busy: TopRow = {
  ...{ key: "job_1", name: "train", account: "lab/vision", user: "ana", state: "busy", gpus: 8, measuredGpus: 8 },
  ...{ share: 80, activity: 91.2, memoryUsedMiB: 409_600, memoryMiB: 655_360, powerWatts: 4_980.5 },
};
const dark: TopRow = {
  ...{ key: "job_2", name: "notebook", account: "lab/vision", user: "bo", state: "unmeasured" },
  ...{ gpus: 2, measuredGpus: 0, share: 20 },
};
const view: TopView = {
  ...{ at: "2026-11-16T18:00:00.000Z", by: "job", rows: [busy, dark], leftOut: 3 },
  total: { gpus: 10, measuredGpus: 8, activity: 91.2, memoryUsedMiB: 409_600, memoryMiB: 655_360, powerWatts: 4_980.5 },
};

test("top shows activity, memory, power and share once in a pipe, and says what was not measured", async (t) => {
  const server = await StandIn.start(t);
  server.on("readTop", () => view);
  const { out } = await runTess(["top", "--sort", "idle"], { env: server.env });
  assert.deepEqual(out.split("\n"), [
    "10 GPUs held, 91.2 % busy, 2 not measured, 400 GiB of 640 GiB, 4981 W  18:00:00",
    "",
    "JOB       ACCOUNT     USER  GPUS  SHARE          ACTIVITY  MEASURED             MEMORY   POWER",
    "train     lab/vision  ana      8  80.0%  █████████░ 91.2%       all  400 GiB / 640 GiB  4981 W",
    "notebook  lab/vision  bo       2  20.0%      not measured    0 of 2                  -       -",
    "… and 3 more (--limit)",
    "",
  ]);
  assert.deepEqual(server.requestsTo("readTop")[0]?.query, { by: "job", sort: "idle", limit: 100 });
  assert.deepEqual(JSON.parse((await runTess(["top", "-o", "json"], { env: server.env })).out), view);
  assert.equal((await runTess(["top", "-o", "name"], { env: server.env })).out, "job_1\njob_2\n");
  const csv = (await runTess(["top", "-o", "csv", "--columns", "id,activity,power"], { env: server.env })).out;
  assert.equal(csv, "id,activity,power\njob_1,91.2,4980.5\njob_2,,\n");
});

test("top marks figures without hardware behind them and GPUs that are busy without a lease", async (t) => {
  const server = await StandIn.start(t);
  const stray: TopRow = {
    ...{ key: "GPU-7", node: "n1", model: "H100", state: "unleased" },
    ...{ gpus: 1, measuredGpus: 1, activity: 40 },
  };
  const total = { ...view.total, simulated: true as const };
  server.on("readTop", () => ({ ...view, by: "gpu" as const, rows: [stray], leftOut: 0, total }));
  const { out } = await runTess(["top", "--by", "gpu"], { env: server.env });
  assert.match(out, /simulated \(no hardware\)/);
  assert.match(out, /GPU-7 .* 40\.0% .* NO LEASE/);
});

test("on a terminal top is drawn again in place until Ctrl-C; --once draws it once", async (t) => {
  const server = await StandIn.start(t);
  let looks = 0;
  server.on("readTop", () => ({ ...view, at: `2026-11-16T18:00:0${looks++}.000Z` }));
  const terminal = new FakeTerminal({ env: server.env, columns: 120 });
  const ended = tess(["top"], terminal);
  await terminal.shows(/18:00:01/);
  terminal.interrupt();
  assert.equal(await ended, 0);
  assert.equal(terminal.out.split("\u001b[H\u001b[2J").length, 3);
  const once = await runTess(["top", "--once"], { env: server.env, columns: 120 });
  assert.equal(once.out.includes("\u001b[2J"), false);
});
