import { cpus, loadavg } from "node:os";
import { parseArgs } from "node:util";
import type { FleetNodeShape } from "@tessera/wire";
import type { Browser, Page } from "playwright-core";
import { openChromium } from "./chromium.ts";
import { demoFleet, startDemo } from "./demo-fleet.ts";
import { type Batch, Replay } from "./replay.ts";
import type { OwnServer } from "./server.ts";
import { WatchedPage } from "./watched-page.ts";

const usage = `npm run bench:web -- [--json]

First paint and use of the console's home, frames of the fleet map while zooming, and memory under live updates, on a
simulated fleet of 50,000 GPUs in a server of its own. --json prints one line.`;
const loads = 5;
const zoomFrames = 300;
const batches = 3_600;
const nodesPerBatch = 40;

interface Spread {
  readonly p50: number;
  readonly p95: number;
  readonly max: number;
  readonly n: number;
}

function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (part: number) => round(sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0);
  return { p50: at(0.5), p95: at(0.95), max: at(1), n: sorted.length };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** First paint, and when Home shows the fleet's figures and takes a key. */
async function measureHome(browser: Browser, server: OwnServer) {
  const watched = await WatchedPage.open(browser, server.url);
  await watched.signInWithToken(server.ownerToken);
  const [paint, usable, bytes]: [number[], number[], number[]] = [[], [], []];
  for (let i = 0; i < loads; i++) {
    await watched.go("/");
    await watched.page.locator(".figure").nth(3).waitFor();
    usable.push(await watched.page.evaluate(() => performance.now()));
    await watched.page.keyboard.press("/");
    await watched.page.getByRole("combobox").waitFor();
    const [first, loaded] = await watched.page.evaluate(() => [
      performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0,
      performance
        .getEntriesByType("resource")
        .filter(({ name }) => name.includes("/assets/"))
        .reduce((sum, entry) => sum + (entry as PerformanceResourceTiming).encodedBodySize, 0),
    ]);
    paint.push(first!);
    bytes.push(loaded!);
  }
  await watched.close();
  return {
    firstContentfulPaintMs: spreadOf(paint),
    homeUsableMs: spreadOf(usable),
    firstLoadGzipBytes: Math.max(...bytes),
  };
}

/** Frame times on the map while the wheel zooms in and out over the middle of the fleet. */
async function measureZoom(browser: Browser, server: OwnServer) {
  const watched = await WatchedPage.open(browser, server.url);
  await watched.signInWithToken(server.ownerToken);
  await watched.go("/fleet");
  await watched.page.locator(".fleet-map").waitFor();
  await watched.page.waitForTimeout(1_000);
  const frames = await watched.page.evaluate(zoomInPage, zoomFrames);
  await watched.close();
  return spreadOf(frames);
}

/** Runs in the page: a wheel event before each frame, and the time between frames. */
function zoomInPage(count: number): Promise<number[]> {
  const canvas = document.querySelector<HTMLCanvasElement>(".fleet-map")!;
  const { width, height } = canvas.getBoundingClientRect();
  return new Promise((resolve) => {
    const times: number[] = [];
    let last = 0;
    const frame = (now: number) => {
      if (last > 0) times.push(now - last);
      last = now;
      if (times.length >= count) return resolve(times);
      const deltaY = Math.floor(times.length / 60) % 2 === 0 ? -60 : 60;
      const at = { clientX: width * 0.6, clientY: height * 0.6 + 120 };
      canvas.dispatchEvent(new WheelEvent("wheel", { deltaY, ...at, bubbles: true, cancelable: true }));
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
}

/** Memory of Home after each part of the batches, played as fast as the page takes them. */
async function measureMemory(browser: Browser, server: OwnServer) {
  const replay = new Replay(server.url, "/v1/fleet");
  await replay.open();
  const watched = await WatchedPage.open(browser, replay.url);
  await watched.signInWithToken(server.ownerToken);
  await watched.page.locator(".figure").nth(3).waitFor();
  const { items } = await server.call("readFleet");
  const tenth = batches / 10;
  await replay.play(batchesOf(items, 0, tenth));
  const first = await heapOf(watched.page, items.length, tenth);
  const startedAt = performance.now();
  await replay.play(batchesOf(items, tenth, batches));
  const last = await heapOf(watched.page, items.length, batches);
  const seconds = (performance.now() - startedAt) / 1000;
  await watched.close();
  await replay.close();
  return {
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
      const node = nodes[(i * nodesPerBatch + j) % (nodes.length - 1)]!;
      return { event: "put" as const, item: { ...node, cells: letters[(i + j) % letters.length]! } };
    });
    // The last node counts the batches, so that the page can be asked whether it has taken all of them.
    if (i === to - 1) yield [{ event: "put", item: { ...nodes.at(-1)!, mode: "down", cells: ".".repeat(to % 97) } }];
  }
}

/** The heap after the page shows the last batch and garbage was collected. */
async function heapOf(page: Page, nodes: number, upTo: number): Promise<number> {
  await page.waitForFunction(
    (count) =>
      [...document.querySelectorAll(".figure .beside")].some((each) => each.textContent?.includes(`of ${count} nodes`)),
    nodes.toLocaleString("en-US"),
  );
  await page.waitForTimeout(upTo > 0 ? 1_500 : 0);
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.enable");
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  await session.detach();
  return usedSize;
}

async function main(): Promise<void> {
  const { json } = options();
  const browser = await openChromium();
  if ("missing" in browser) throw new Error(browser.missing);
  const { server } = await startDemo();
  try {
    const report = {
      bench: "web",
      at: new Date().toISOString(),
      load: loadavg().map(round),
      machine: `${cpus().length} × ${cpus()[0]?.model ?? "unknown"}`,
      browser: `Chromium ${browser.version()}, headless, software rendering`,
      fleet: demoFleet,
      home: await measureHome(browser, server),
      zoomFrameMs: await measureZoom(browser, server),
      memory: await measureMemory(browser, server),
    };
    console.log(json ? JSON.stringify(report) : JSON.stringify(report, null, 2));
  } finally {
    await browser.close();
    await server.end();
  }
}

function options(): { readonly json: boolean } {
  try {
    const { values } = parseArgs({ options: { json: { type: "boolean" }, help: { type: "boolean", short: "h" } } });
    if (values.help) {
      console.log(usage);
      process.exit(0);
    }
    return { json: values.json ?? false };
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`);
    process.exit(2);
  }
}

await main();
