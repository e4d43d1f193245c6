import assert from "node:assert/strict";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { unitsPerGpu } from "@tessera/core";
import type { LeaseOrder } from "@tessera/engine";
import { readClaim } from "../../lease/folder.ts";
import { type Bench, openBench, orderOf, visibleFolder } from "../../order.fixture.ts";
import { fakeDriver } from "../../testing/driver.ts";
import { type ClientScript, clientsIn, fakeMps } from "../../testing/mps.ts";

const isRoot = process.getuid?.() === 0;
/** Of the fake H200, 143,771 MiB. */
const quarterMiB = 35_942;

interface Shared {
  readonly bench: Bench;
  readonly machine: Awaited<ReturnType<typeof fakeDriver>>;
  readonly client: ClientScript;
  readonly order: (run: string, change?: Partial<LeaseOrder>) => LeaseOrder;
}

/** An engine on a machine with one GPU that is shared. */
async function shared(t: TestContext, mode: "mps" | "timeslice"): Promise<Shared> {
  const machine = await fakeDriver(t);
  const folder = await visibleFolder(t);
  await fakeMps(t, folder);
  const client = await clientsIn(folder);
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
  return { bench, machine, client, order };
}

async function serversIn({ bench }: Shared): Promise<string[]> {
  return readdir(join(bench.dir, "gpus", "mps")).catch(() => []);
}

describe("members that share a GPU by MPS", () => {
  it("have their share of threads and memory, cannot raise it, and see no other server", async (t) => {
    const on = await shared(t, "mps");
    const fits = on.order(on.client(quarterMiB));
    await on.bench.start(fits, `allocated ${quarterMiB} MiB, 25 % of threads`);
    const { enforcement } = await on.bench.until(fits.lease, "prepared");
    assert.match(enforcement["gpu-memory"]!, isRoot ? /^mps \(driver\), watched$/ : /its own user could raise it/);
    assert.match(enforcement["gpu-compute"]!, /at most 25 % of the threads; bandwidth is not limited/);
    assert.match(enforcement["gpu-faults"]!, /^none/);

    const more = on.order(on.client(quarterMiB + 1));
    const free = on.order(`unset CUDA_MPS_PINNED_DEVICE_MEM_LIMIT; ${on.client(quarterMiB + 1)}`);
    for (const order of [more, free]) {
      await on.bench.run(order);
      assert.match(await on.bench.text(order.lease), /out of memory/);
    }
    if (!isRoot) return;
    const servers = join(on.bench.dir, "gpus", "mps");
    const curious = on.order(`ls $CUDA_MPS_PIPE_DIRECTORY; touch $CUDA_MPS_PIPE_DIRECTORY/x; ls ${servers}`);
    await on.bench.run(curious);
    const text = await on.bench.text(curious.lease);
    assert.match(text, /^control$/m);
    assert.match(text, /touch: .*(Read-only|Permission denied)/);
    assert.match(text, /ls: .*mps/);
  });

  it("[L3] end together when one faults, and none of the jobs is blamed; a job that faults alone has failed", async (t) => {
    const on = await shared(t, "mps");
    const folder = await visibleFolder(t);
    const wild = on.order(on.client(100, join(folder, "fault")), { size: 2 });
    const lease = `${wild.job}-1-1` as LeaseOrder["lease"];
    const mate = on.order(on.client(100), { job: wild.job, rank: 1, size: 2, lease });
    const calm = on.order(on.client(100), { tenant: "acc_other" });
    for (const order of [wild, mate, calm]) await on.bench.start(order, "allocated");
    await writeFile(join(folder, "fault"), "");
    const ends = [];
    for (const order of [wild, mate, calm]) {
      const { code, neighbour, reason } = await on.bench.until(order.lease, "exited");
      ends.push([code, neighbour, reason]);
    }
    assert.deepEqual(ends, [
      [1, true, "a fault on the GPU that it shared ended it"],
      [1, true, "a fault on the GPU that it shared ended it"],
      [1, true, "a fault on the GPU that it shared ended it"],
    ]);
    const alone = on.order(on.client(100, join(folder, "fault")));
    const { code, neighbour, reason } = await on.bench.run(alone);
    assert.deepEqual([code, neighbour, reason], [1, undefined, "a fatal fault on the GPU ended it"]);
  });

  it("have a server of their trust group alone, until the last of them is gone, even if its supervisor is killed", async (t) => {
    const on = await shared(t, "mps");
    const long = on.order(on.client(100));
    await on.bench.start(long, "allocated");
    const other = on.order("true", { tenant: "acc_other", tenantTerms: { trust: "trusted" } });
    await on.bench.engine.bind(other);
    assert.match((await on.bench.until(other.lease, "refused")).reason, /another trust group/);
    assert.equal((await serversIn(on)).length, 1);
    const claim = await readClaim(join(on.bench.dir, "leases", long.lease));
    assert.ok(claim?.by === "supervisor");
    process.kill(claim.pid, "SIGKILL");
    await on.bench.until(long.lease, "lost");
    while ((await serversIn(on)).length > 0) await sleep(20);
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
      (await on.bench.engine.list())
        .map(({ lease, state }) => [lease, state])
        .filter(([lease]) => lease === modest.lease),
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
