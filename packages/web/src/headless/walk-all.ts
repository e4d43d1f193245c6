import type { Browser } from "playwright-core";
import { openChromium } from "./chromium.ts";
import { pressAs } from "./press.ts";
import { OwnServer } from "./server.ts";
import { addressesOf, fillForWalk, roles, walkAs } from "./walk.ts";

const chromium = await openChromium();
if ("missing" in chromium) throw new Error(chromium.missing);
const browser: Browser = chromium;
const server = new OwnServer("--virtual", "2x4:H100");
try {
  await server.start();
  const { things, tokens } = await fillForWalk(server);
  const paths = addressesOf(things);
  let found = 0;
  for (const role of roles) {
    const faults = await walkAs(browser, server, role, tokens[role]!, paths);
    for (const fault of faults) console.log(fault);
    found += faults.length;
    const { pressed, off, faults: refused } = await pressAs(browser, server, role, tokens[role]!);
    for (const fault of refused) console.log(fault);
    found += refused.length;
    console.log(`${role}: ${paths.length} addresses, ${faults.length} faults`);
    console.log(`${role}: ${pressed} buttons pressed, ${off} off with a reason, ${refused.length} faults`);
  }
  process.exitCode = found === 0 ? 0 : 1;
} finally {
  await browser.close();
  await server.end();
}
