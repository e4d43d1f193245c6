import type { FleetNodeShape } from "@tessera/wire";
import type { Browser, Page } from "playwright-core";
import { type Batch, Replay } from "../replay.ts";
import type { OwnServer } from "../server.ts";
import { WatchedPage } from "../watched-page.ts";
import { round } from "./spread.ts";

const batches = 3_600;
const nodesPerBatch = 40;
/** After the last batch the page has this long to draw it. */
const drawnMs = 3_000;

/** Memory of the map of the fleet after each part of the batches, played as fast as the page takes them. */
export async function measureMemory(browser: Browser, server: OwnServer) {
  const replay = new Replay(server.url, "/v1/fleet");
  await replay.open();
  const watched = await WatchedPage.open(browser, replay.url);
  await watched.signInWithToken(server.ownerToken);
  await watched.go("/fleet");
  await watched.page.locator(".fleet-map").waitFor();
  const { items } = await server.call("readFleet");
  const tenth = batches / 10;
  const first = await heapAfter(watched.page, replay, batchesOf(items, 0, tenth));
  const startedAt = performance.now();
  const last = await heapAfter(watched.page, replay, batchesOf(items, tenth, batches));
  const seconds = (performance.now() - startedAt - drawnMs) / 1000;
  await watched.close();
  await replay.close();
  return {
    page: "/fleet",
    batches,
    nodesPerBatch,
    heapAfterTenthMiB: round(first / 2 ** 20),
    heapAfterAllMiB: round(last / 2 ** 20),
    growthPercent: round((100 * (last - first)) / first),
    batchesPerSecond: round((batches - tenth) / seconds),
  };
}

function* batchesOf(nodes: readonly FleetNodeShape[], from: number, to: number): Generator<Batch> {
  const letters = ["........", "gggggggg", "bbbbbbbb", "ggggbb.."];
  for (let i = from; i < to; i++) {
    yield Array.from({ length: nodesPerBatch }, (_, j) => {
      const node = nodes[(i * nodesPerBatch + j) % nodes.length]!;
      return { event: "put" as const, item: { ...node, cells: letters[(i + j) % letters.length]! } };
    });
  }
}

/** The heap after the page has drawn the batches and garbage was collected; they must have changed what it shows. */
async function heapAfter(page: Page, replay: Replay, played: Iterable<Batch>): Promise<number> {
  const shown = () => page.locator("main").innerText();
  const before = await shown();
  await replay.play(played);
  await page.waitForTimeout(drawnMs);
  if ((await shown()) === before) throw new Error("the page shows nothing of what was played");
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.enable");
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  await session.detach();
  return usedSize;
}
