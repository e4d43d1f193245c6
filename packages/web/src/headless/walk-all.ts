import type { Browser } from "playwright-core";
import { openChromium } from "./chromium.ts";
import { pressAs } from "./press.ts";
import { OwnServer } from "./server.ts";
import { tooWide } from "./too-wide.ts";
import { fillForWalk, walkAs, walkers } from "./walk.ts";
import { allVisits, mainVisits } from "./walk-places.ts";

type Walker = (typeof walkers)[number];

/// Every address and every button of the console, as everyone who can sign in to it: `npm run test:pages [WALKER …]`.
const chromium = await openChromium();
if ("missing" in chromium) throw new Error(chromium.missing);
const browser: Browser = chromium;
const phone = { label: " on a phone", look: { width: 390, height: 844 }, alsoWrong: tooWide };
/** Most of a walk is waiting for pages to settle, so two cores carry more walkers than two. */
const atOnce = 3;
let found = 0;

function tell(faults: readonly string[]): number {
  for (const fault of faults) console.log(fault);
  found += faults.length;
  return faults.length;
}

/** With a server of its own: buttons take away what others look at. */
async function walkAlone(walker: Walker): Promise<void> {
  const server = new OwnServer("--virtual", "2x4:H100");
  try {
    await server.start();
    const { things, tokens } = await fillForWalk(server);
    const token = tokens[walker]!;
    const visits = allVisits(things);
    const faults = tell(await walkAs(browser, server, walker, token, visits));
    console.log(`${walker}: ${visits.length} addresses, ${faults} faults`);
    const onPhone = tell(await walkAs(browser, server, walker, token, mainVisits(things), phone));
    console.log(`${walker}: the main addresses on a phone, ${onPhone} faults`);
    const { pressed, off, faults: refused } = await pressAs(browser, server, walker, token);
    console.log(`${walker}: ${pressed} buttons pressed, ${off} off with a reason, ${tell(refused)} faults`);
  } finally {
    await server.end();
  }
}

const named = process.argv.slice(2);
const unknown = named.find((name) => !(walkers as readonly string[]).includes(name));
if (unknown !== undefined) throw new Error(`There is no walker "${unknown}"; one of: ${walkers.join(", ")}.`);
const waiting = walkers.filter((each) => named.length === 0 || named.includes(each));
try {
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let walker = waiting.shift(); walker !== undefined; walker = waiting.shift()) await walkAlone(walker);
    }),
  );
  process.exitCode = found === 0 ? 0 : 1;
} finally {
  await browser.close();
}
