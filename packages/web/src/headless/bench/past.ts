import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { rolledUp, simulateDays } from "../busy-day.ts";
import { OwnServer } from "../server.ts";
import { WatchedPage } from "../watched-page.ts";
import { round, spreadOf } from "./spread.ts";

const gpus = 50_000;
const hourMs = 3_600_000;
/** In hours before now, none beside the one before, so that each is made from another snapshot. */
const asked = [2.3, 14.1, 7.4, 20.8, 0.6, 11.9, 17.2, 4.7, 22.5, 9.3];
const shown = [3.2, 16.4, 8.1, 21.3, 12.6, 5.9];

/** A simulated day of a large fleet, opened: moments of it over the API, and until the map of a page shows them. */
export async function measurePast(browser: Browser, say: (text: string) => void) {
  const data = mkdtempSync(join(tmpdir(), "tessera-day-"));
  const server = OwnServer.on(data, "--no-local");
  try {
    say(`simulating a day of ${gpus} GPUs`);
    await simulateDays(data, { gpus, days: 1 });
    await server.start();
    await rolledUp(server);
    const overApi: number[] = [];
    for (const hours of asked) {
      const began = performance.now();
      await server.call("readMoment", { query: { at: momentBefore(hours) } });
      overApi.push(round(performance.now() - began));
    }
    const watched = await WatchedPage.open(browser, server.url);
    await watched.signInWithToken(server.ownerToken);
    const onPage: number[] = [];
    for (const hours of shown) {
      await watched.go(`/fleet?at=${momentBefore(hours)}`);
      await watched.page.getByText(/row \d+ of the journal/).waitFor();
      await watched.page.locator("canvas").first().waitFor();
      onPage.push(await watched.page.evaluate(() => performance.now()));
    }
    await watched.close();
    return { gpus, overApiMs: { first: overApi[0], ...spreadOf(overApi) }, fleetPageMs: spreadOf(onPage) };
  } finally {
    await server.end();
    rmSync(data, { recursive: true, force: true });
  }
}

const momentBefore = (hours: number) => new Date(Date.now() - hours * hourMs).toISOString();
