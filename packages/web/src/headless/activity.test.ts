import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import type { Browser } from "playwright-core";
import { seriousViolations } from "./axe.ts";
import { openChromium } from "./chromium.ts";
import { OwnServer } from "./server.ts";
import { WatchedPage } from "./watched-page.ts";

const built = existsSync(new URL("../../bundle/index.html", import.meta.url));
const chromium = built ? await openChromium() : { missing: "the console is not built; npm test builds it" };
const missing = "missing" in chromium ? chromium.missing : undefined;
const browser = chromium as Browser;

describe("what GPUs do, in the console", { skip: missing }, () => {
  const server = new OwnServer("--simulated", "2x8:H100", "--telemetry-every", "1");

  before(async () => {
    await server.start();
    for (const path of ["lab", "rivals"]) await server.call("createAccount", { body: { path } });
    for (const [project, gpus] of [
      ["lab", 3],
      ["rivals", 8],
    ] as const)
      await server.call("submitJob", { body: { name: `${project}-train`, run: "sleep 3600", project, gpus } });
    await server.call("createUser", {
      body: { name: "ana", email: "ana@lab.example", role: "member", account: "lab" },
    });
  });
  after(async () => {
    await browser.close();
    await server.end();
  });

  it("colours the map by what was measured, keeps it in the address, and says what was not measured", async () => {
    const watched = await WatchedPage.open(browser, server.url);
    const { page } = watched;
    await watched.signInWithToken(server.ownerToken);
    await watched.go("/fleet");
    await page.getByRole("button", { name: "by power" }).click();
    await page.getByText("they are simulated").waitFor();
    const legend = page.getByRole("list", { name: /^Legend/ });
    await legend.getByRole("button", { name: / W/ }).first().waitFor();
    assert.equal(new URL(page.url()).searchParams.get("colour"), "power");
    await page.reload();
    await page.getByRole("button", { name: "by power", pressed: true }).waitFor();
    await page.getByRole("button", { name: "by temperature" }).click();
    await legend.getByRole("button", { name: /°C/ }).first().waitFor();
    await page.getByLabel("Find a node or rack").pressSequentially("h100-1");
    await page
      .getByRole("complementary", { name: "Node h100-1" })
      .getByText(/^\d+ °C$/)
      .first()
      .waitFor();
    assert.deepEqual(await seriousViolations(page), []);
    assert.deepEqual(watched.complaints, []);
    await watched.close();
  });
});
