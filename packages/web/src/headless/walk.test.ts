import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import type { Browser } from "playwright-core";
import { openChromium } from "./chromium.ts";
import { OwnServer } from "./server.ts";
import { fillForWalk, walkAs, walkers } from "./walk.ts";
import { mainVisits, type Things } from "./walk-places.ts";

const built = existsSync(new URL("../../bundle/index.html", import.meta.url));
const chromium = built ? await openChromium() : { missing: "the console is not built; npm test builds it" };
const missing = "missing" in chromium ? chromium.missing : undefined;
const browser = chromium as Browser;

// The long walk, to every address and through every button, is `npm run test:pages`.
describe("the pages of the console", { skip: missing }, () => {
  const server = new OwnServer("--virtual", "2x4:H100");
  let things: Things;
  let tokens: Record<string, string>;
  before(async () => {
    await server.start();
    ({ things, tokens } = await fillForWalk(server));
  });
  after(async () => {
    await browser.close();
    await server.end();
  });

  it("are shown to everyone who may see them, and explained to everyone else", async () => {
    const found: string[] = [];
    const visits = mainVisits(things);
    const waiting = [...walkers];
    const walk = async () => {
      for (let walker = waiting.shift(); walker !== undefined; walker = waiting.shift())
        found.push(...(await walkAs(browser, server, walker, tokens[walker]!, visits, { within: true })));
    };
    await Promise.all([walk(), walk()]);
    assert.deepEqual(found, []);
  });
});
