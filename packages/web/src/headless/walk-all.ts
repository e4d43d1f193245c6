import type { Browser } from "playwright-core";
import { openChromium } from "./chromium.ts";
import { pressAs } from "./press.ts";
import { OwnServer } from "./server.ts";
import { tooWide } from "./too-wide.ts";
import { fillForWalk, walkAs, walkers } from "./walk.ts";
import { allVisits, mainVisits } from "./walk-places.ts";

/// Every address and every button of the console, as everyone who can sign in to it: `npm run test:pages [WALKER …]`.
const chromium = await openChromium();
if ("missing" in chromium) throw new Error(chromium.missing);
const browser: Browser = chromium;
const server = new OwnServer("--virtual", "2x4:H100");
const named = process.argv.slice(2);
const phone = { label: " on a phone", look: { width: 390, height: 844 }, alsoWrong: tooWide };
let found = 0;

function tell(faults: readonly string[]): number {
  for (const fault of faults) console.log(fault);
  found += faults.length;
  return faults.length;
}

try {
  await server.start();
  const { things, tokens } = await fillForWalk(server);
  const visits = allVisits(things);
  const chosen = walkers.filter((each) => named.length === 0 || named.includes(each));
  for (const walker of chosen) {
    const token = tokens[walker]!;
    const faults = tell(await walkAs(browser, server, walker, token, visits));
    console.log(`${walker}: ${visits.length} addresses, ${faults} faults`);
    const onPhone = tell(await walkAs(browser, server, walker, token, mainVisits(things), phone));
    console.log(`${walker}: the main addresses on a phone, ${onPhone} faults`);
  }
  // Afterwards: buttons take away what the others look at.
  for (const walker of chosen) {
    const { pressed, off, faults: refused } = await pressAs(browser, server, walker, tokens[walker]!);
    console.log(`${walker}: ${pressed} buttons pressed, ${off} off with a reason, ${tell(refused)} faults`);
  }
  process.exitCode = found === 0 ? 0 : 1;
} finally {
  await browser.close();
  await server.end();
}
