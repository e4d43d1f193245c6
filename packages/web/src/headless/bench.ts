import { cpus, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { measureHome } from "./bench/home.ts";
import { measureMemory } from "./bench/memory.ts";
import { measurePast } from "./bench/past.ts";
import { measureSeries } from "./bench/series.ts";
import { round } from "./bench/spread.ts";
import { measureWindows } from "./bench/windows.ts";
import { measureZoom } from "./bench/zoom.ts";
import { openChromium } from "./chromium.ts";
import { demoFleet, startDemo } from "./demo-fleet.ts";

const usage = `npm run bench:web -- [--json]

On a simulated fleet of 50,000 GPUs with 10,000 jobs in a server of its own: first paint, use and right numbers of the
console's home, on first and later visits, with the bytes of code and data; frames of the fleet map while zooming;
memory under live updates; six windows that see a new job. Then moments of a simulated day of 50,000 GPUs, and every
chart over 90 generated days. Takes about twelve minutes. --json prints one line; progress goes to stderr.`;
const jobs = 10_000;

const began = performance.now();
const say = (text: string) => console.error(`${Math.round((performance.now() - began) / 1000)} s: ${text}`);

async function main(): Promise<void> {
  const { json } = options();
  const browser = await openChromium();
  if ("missing" in browser) throw new Error(browser.missing);
  say(`starting ${demoFleet} with ${jobs} jobs`);
  const { server } = await startDemo(jobs);
  const step = async <Told>(name: string, measure: () => Promise<Told>): Promise<Told> => {
    say(`${name} …`);
    const told = await measure();
    say(`${name}: ${JSON.stringify(told)}`);
    return told;
  };
  try {
    const report = {
      bench: "web",
      at: new Date().toISOString(),
      load: loadavg().map(round),
      machine: `${cpus().length} × ${cpus()[0]?.model ?? "unknown"}`,
      browser: `Chromium ${browser.version()}, headless, software rendering`,
      fleet: demoFleet,
      jobs,
      searchColdMs: await step("search", async () => timed(() => server.call("search", { query: { q: "llama" } }))),
      home: await step("home", () => measureHome(browser, server, say)),
      zoomFrameMs: await step("zoom", () => measureZoom(browser, server)),
      windows: await step("windows", () => measureWindows(browser, server, say)),
      memory: await step("memory", () => measureMemory(browser, server)),
    };
    await server.end();
    const past = await step("past", () => measurePast(browser, say));
    await browser.close();
    const series = await step("series", measureSeries);
    const whole = { ...report, past, series, seconds: Math.round((performance.now() - began) / 1000) };
    console.log(json ? JSON.stringify(whole) : JSON.stringify(whole, null, 2));
  } finally {
    await browser.close();
    await server.end();
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return round(performance.now() - from);
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
