import assert from "node:assert/strict";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { unitsPerGpu } from "@tessera/core";
import type { LeaseOrder } from "@tessera/engine";
import { type Bench, openBench, orderOf, visibleFolder } from "../../order.fixture.ts";
import { fakeDriver } from "../../testing/driver.ts";
import { clientScript, fakeMps } from "../../testing/mps.ts";

const isRoot = process.getuid?.() === 0;
/** Of the fake H200, 143,771 MiB. */
const quarterMiB = 35_942;

interface Shared {
  readonly bench: Bench;
  readonly machine: Awaited<ReturnType<typeof fakeDriver>>;
  readonly order: (run: string, change?: Partial<LeaseOrder>) => LeaseOrder;
}

/** An engine on a machine with one GPU that is shared. */
async function shared(t: TestContext, mode: "mps" | "timeslice"): Promise<Shared> {
  const machine = await fakeDriver(t);
  await fakeMps(t, await visibleFolder(t));
  const bench = await openBench(t, { virtual: undefined, nodeName: "n0", tenantsShareUser: true });
  await bench.engine.inventory();
  const quarter = unitsPerGpu / 4;
  const tenantTerms = { trust: "trusted", trustGroup: "lab" } as const;
  const order: Shared["order"] = (run, change = {}) =>
    orderOf(run, {
      node: "n0",
      gangNodes: ["n0"],
      gpuUuids: [machine.gpus[0]!.uuid],
      part: { mode, compute: quarter, memory: quarter },
      tenantTerms,
      ...change,
    });
  return { bench, machine, order };
}

async function serversIn({ bench }: Shared): Promise<string[]> {
  return readdir(join(bench.dir, "gpus", "mps")).catch(() => []);
}

describe("members that share a GPU by MPS", () => {
  it("have their share of threads and memory, and are told when they ask for more", async (t) => {
    const on = await shared(t, "mps");
    const fits = on.order(clientScript(quarterMiB));
    await on.bench.start(fits, `allocated ${quarterMiB} MiB, 25 % of threads`);
    const more = on.order(clientScript(quarterMiB + 1));
    await on.bench.run(more);
    assert.match(await on.bench.text(more.lease), /out of memory/);
  });

  it("cannot raise the limit: without its own, a member has that of the largest part", async (t) => {
    const on = await shared(t, "mps");
    const free = on.order(`unset CUDA_MPS_PINNED_DEVICE_MEM_LIMIT; ${clientScript(quarterMiB + 1)}`);
    await on.bench.run(free);
    assert.match(await on.bench.text(free.lease), /out of memory/);
  });

  it("say what enforces each limit, and what does not", async (t) => {
    const on = await shared(t, "mps");
    const order = on.order("true");
    await on.bench.run(order);
    const { enforcement } = await on.bench.until(order.lease, "prepared");
    assert.match(enforcement["gpu-memory"]!, isRoot ? /^mps \(driver\), watched$/ : /its own user could raise it/);
    assert.match(enforcement["gpu-compute"]!, /at most 25 % of the threads; bandwidth is not limited/);
    assert.match(enforcement["gpu-faults"]!, /^none/);
  });

  it("[L3] of two tenants end together when one faults: that one failed, the other is a neighbour", async (t) => {
    const on = await shared(t, "mps");
    const folder = await visibleFolder(t);
    const wild = on.order(clientScript(100, join(folder, "fault")));
    const calm = on.order(clientScript(100), { tenant: "acc_other" });
    await on.bench.start(wild, "allocated");
    await on.bench.start(calm, "allocated");
    await writeFile(join(folder, "fault"), "");
    const [failed, hit] = [await on.bench.until(wild.lease, "exited"), await on.bench.until(calm.lease, "exited")];
    assert.deepEqual([failed.code, failed.neighbour, failed.reason], [1, undefined, "a fatal fault on the GPU ended it"]);
    assert.deepEqual([hit.code, hit.neighbour], [1, true]);
    assert.ok(!JSON.stringify(hit).includes(wild.job), "the neighbour is not named");
  });

  it("[L3] of one job answer for each other", async (t) => {
    const on = await shared(t, "mps");
    const folder = await visibleFolder(t);
    const first = on.order(clientScript(100, join(folder, "fault")), { size: 2 });
    const second = on.order(clientScript(100), {
      job: first.job,
      rank: 1,
      size: 2,
      lease: `${first.job}-1-1` as LeaseOrder["lease"],
    });
    await on.bench.start(first, "allocated");
    await on.bench.start(second, "allocated");
    await writeFile(join(folder, "fault"), "");
    assert.equal((await on.bench.until(second.lease, "exited")).neighbour, undefined);
  });

  it("leave no server behind, and keep it while one of them runs", async (t) => {
    const on = await shared(t, "mps");
    const long = on.order(clientScript(100));
    await on.bench.start(long, "allocated");
    await on.bench.run(on.order("true"));
    assert.equal((await serversIn(on)).length, 1);
    await on.bench.engine.stop(long.lease, { signal: "SIGKILL", graceMs: 0 });
    await on.bench.until(long.lease, "exited");
    assert.deepEqual(await serversIn(on), []);
  });

  it("of different trust groups are never on one server", async (t) => {
    const on = await shared(t, "mps");
    await on.bench.start(on.order(clientScript(100)), "allocated");
    const other = on.order("true", { tenant: "acc_other", tenantTerms: { trust: "trusted" } });
    await on.bench.engine.bind(other);
    const { reason } = await on.bench.until(other.lease, "refused");
    assert.match(reason, /another trust group/);
  });

  it("see their own server's pipe and nothing else of the engine", { skip: !isRoot }, async (t) => {
    const on = await shared(t, "mps");
    const order = on.order(`ls $CUDA_MPS_PIPE_DIRECTORY; touch $CUDA_MPS_PIPE_DIRECTORY/x; ls ${on.bench.dir}/gpus/mps`);
    await on.bench.run(order);
    const text = await on.bench.text(order.lease);
    assert.match(text, /^control$/m);
    assert.match(text, /touch: .*(Read-only|Permission denied)/);
    assert.match(text, /ls: .*mps/);
  });
});

describe("members that share a GPU by time slices", () => {
  it("are stopped when they hold more memory than their part, with both numbers", async (t) => {
    const on = await shared(t, "timeslice");
    const [greedy, modest] = [on.order("sleep 60.001"), on.order("sleep 60.002")];
    await on.bench.start(greedy, "");
    await on.bench.start(modest, "");
    const hold = async (word: string, memoryMiB: number) => {
      const pid = await processWith(word);
      on.machine.change(({ processes }) =>
        processes.push({ pid, gpu: on.machine.gpus[0]!.uuid, memoryMiB, name: "python" }),
      );
    };
    await hold("60.002", quarterMiB);
    await hold("60.001", quarterMiB + 2_048);
    const { limit, reason } = await on.bench.until(greedy.lease, "exited");
    assert.deepEqual([limit, reason], ["gpu-memory", "used 37.1 GiB of GPU memory, asked for 35.1 GiB"]);
    assert.deepEqual(
      (await on.bench.engine.list()).map(({ lease, state }) => [lease, state]).filter(([lease]) => lease === modest.lease),
      [[modest.lease, "running"]],
    );
  });
});

/** The process that was started with this word as its argument. */
async function processWith(word: string): Promise<number> {
  for (;;) {
    for (const name of await readdir("/proc")) {
      const words = await readFile(`/proc/${name}/cmdline`, "utf8").catch(() => "");
      if (words === `sleep\0${word}\0`) return Number(name);
    }
    await sleep(10);
  }
}
