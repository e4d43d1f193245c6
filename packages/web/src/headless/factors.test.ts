import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import type { Browser } from "playwright-core";
import { openChromium } from "./chromium.ts";
import { walkFactors } from "./factor-walk.ts";
import { OwnServer } from "./server.ts";

const built = existsSync(new URL("../../bundle/index.html", import.meta.url));
const chromium = built ? await openChromium() : { missing: "the console is not built; npm test builds it" };
const missing = "missing" in chromium ? chromium.missing : undefined;
const browser = chromium as Browser;

/** With TESSERA_PICTURES=FOLDER the walk is done in every look and keeps pictures there. */
const folder = process.env.TESSERA_PICTURES;
const looks = [
  { name: "light", width: 1280, height: 800 },
  { name: "dark", width: 1280, height: 800, dark: true },
  { name: "phone", width: 390, height: 844 },
  { name: "phone-dark", width: 390, height: 844, dark: true },
] as const;

describe("second factors in a real browser", { skip: missing }, () => {
  after(() => browser.close());

  for (const look of folder === undefined ? looks.slice(0, 1) : looks) {
    it(`are an app, a passkey and recovery codes: ${look.name}`, async () => {
      const server = new OwnServer("--simulated", "1x1:H100");
      await server.start();
      try {
        const watched = await walkFactors(browser, server, look, async (page, name) => {
          if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}-${look.name}.png`) });
        });
        // Refused requests are said by the browser itself: before the second step, and after signing out.
        const complaints = watched.complaints.filter((text) => !/status of 40[13]/.test(text));
        assert.deepEqual(complaints, []);
        await watched.close();
      } finally {
        await server.end();
      }
    });
  }
});
