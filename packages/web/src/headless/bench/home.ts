import type { Browser } from "playwright-core";
import { Replay } from "../replay.ts";
import type { OwnServer } from "../server.ts";
import { WatchedPage } from "../watched-page.ts";
import { round, spreadOf } from "./spread.ts";
import { settled, type Truth, truthOf, whenRight } from "./truth.ts";

const browsers = 3;
const laterVisits = 4;
/** For so long the data of a visit is counted: its figures and charts come at once, then the figures every 3 s. */
const countedMs = 5_000;

interface Visit {
  readonly paintMs: number;
  readonly usableMs: number;
  readonly rightMs: number;
  readonly codeBytes: number;
}

/** First paint, when Home takes a key, when its figures are right: of browsers that have nothing yet, and of later visits. */
export async function measureHome(browser: Browser, server: OwnServer, say: (text: string) => void) {
  await settled(server);
  const truth = await truthOf(server);
  say(`the truth: ${JSON.stringify(truth)}`);
  const [first, later]: [Visit[], Visit[]] = [[], []];
  for (let no = 0; no < browsers; no++) {
    const watched = await WatchedPage.open(browser, server.url);
    await watched.signInWithToken(server.ownerToken);
    const session = await watched.page.context().newCDPSession(watched.page);
    await session.send("Network.clearBrowserCache");
    first.push(await visit(watched, truth));
    for (let i = 0; i < laterVisits; i++) later.push(await visit(watched, truth));
    await watched.close();
    say(`home ${no + 1} of ${browsers}: right after ${round(first.at(-1)!.rightMs)} ms, then ${laterVisits} visits`);
  }
  const data = await dataOf(browser, server, truth);
  const told = (visits: readonly Visit[]) => ({
    firstContentfulPaintMs: spreadOf(visits.map(({ paintMs }) => paintMs)),
    usableMs: spreadOf(visits.map(({ usableMs }) => usableMs)),
    rightNumbersMs: spreadOf(visits.map(({ rightMs }) => rightMs)),
  });
  return {
    truth,
    first: told(first),
    later: told(later),
    firstLoadGzipBytes: Math.max(...first.map(({ codeBytes }) => codeBytes)),
    dataBytesIn5s: data,
  };
}

async function visit(watched: WatchedPage, truth: Truth): Promise<Visit> {
  const { page } = watched;
  await watched.go("/");
  const rightMs = await whenRight(page, truth);
  await page.keyboard.press("/");
  await page.getByRole("combobox").waitFor();
  const [usableMs, paintMs, codeBytes] = await page.evaluate(() => [
    performance.now(),
    performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0,
    performance
      .getEntriesByType("resource")
      .filter(({ name }) => name.includes("/assets/"))
      .reduce((sum, entry) => sum + (entry as PerformanceResourceTiming).encodedBodySize, 0),
  ]);
  return { rightMs, usableMs: usableMs!, paintMs: paintMs!, codeBytes: codeBytes! };
}

/** Bytes of answers and of the stream as they go over the wire, counted by a server between the two. */
async function dataOf(browser: Browser, server: OwnServer, truth: Truth) {
  const between = new Replay(server.url, "/v1/fleet");
  await between.open();
  const watched = await WatchedPage.open(browser, between.url);
  await watched.signInWithToken(server.ownerToken);
  const counted: number[] = [];
  for (let no = 0; no < 2; no++) {
    await watched.go("/settings");
    await watched.page.waitForTimeout(1_000);
    const before = between.dataBytes;
    await watched.go("/");
    await whenRight(watched.page, truth);
    await watched.page.waitForTimeout(countedMs);
    counted.push(between.dataBytes - before);
  }
  await watched.close();
  await between.close();
  return { first: counted[0]!, later: counted[1]! };
}
