import type { Browser, Page } from "playwright-core";
import type { OwnServer } from "../server.ts";
import { WatchedPage } from "../watched-page.ts";
import { spreadOf } from "./spread.ts";

const windows = 6;
const rounds = 3;

/** How long it takes until each of six windows of one browser tells of a job that was just submitted. */
export async function measureWindows(browser: Browser, server: OwnServer, say: (text: string) => void) {
  const watched = await WatchedPage.open(browser, server.url);
  await watched.signInWithToken(server.ownerToken);
  const pages: Page[] = [watched.page];
  while (pages.length < windows) pages.push(await watched.page.context().newPage());
  for (const page of pages) {
    await page.goto(`${server.url}/jobs`);
    await page.getByText("Live", { exact: true }).waitFor();
    await page.locator(".long tbody tr").first().waitFor();
  }
  const seen: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    const body = {
      name: `window-job-${round}`,
      project: "research/nlp",
      run: "true",
      not_before: "2100-01-01T00:00:00Z",
    };
    const began = performance.now();
    await server.call("submitJob", { body });
    const look = async (page: Page) => {
      // Rows that are read do not move: the new one waits behind a chip, which says how many do.
      await page.getByRole("button", { name: `${round} new`, exact: true }).waitFor();
      seen.push(performance.now() - began);
    };
    await Promise.all(pages.map(look));
    say(`windows, round ${round} of ${rounds}: all ${windows} tell of the new job`);
  }
  await watched.close();
  return { windows, rounds, newJobSeenMs: spreadOf(seen) };
}
