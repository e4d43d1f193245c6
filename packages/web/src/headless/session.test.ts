import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import type { Browser } from "playwright-core";
import { openChromium } from "./chromium.ts";
import { OwnServer } from "./server.ts";
import { WatchedPage } from "./watched-page.ts";

const built = existsSync(new URL("../../bundle/index.html", import.meta.url));
const chromium = built ? await openChromium() : { missing: "the console is not built; npm test builds it" };
const missing = "missing" in chromium ? chromium.missing : undefined;
const browser = chromium as Browser;

describe("a session in a real browser", { skip: missing }, () => {
  const server = new OwnServer("--simulated", "1x1:H100");
  before(() => server.start());
  after(async () => {
    await browser.close();
    await server.end();
  });

  it("gives a page on another port of the host nothing that it could use", async () => {
    const got: string[] = [];
    const other = createServer(({ headers }, response) => {
      got.push(JSON.stringify(headers));
      response.setHeader("content-type", "text/html").end("<title>page of a job</title>");
    }).listen(0, "127.0.0.1");
    await once(other, "listening");
    const watched = await WatchedPage.open(browser, server.url);
    try {
      await watched.signInWithToken(server.ownerToken);
      const tab = await watched.page.context().newPage();
      await tab.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`);
      const [, cookie] =
        /"cookie":"([^"]*)"/.exec(got[0]!) ?? assert.fail("browsers send cookies to all ports of a host");
      assert.match(cookie!, /tessera=sess_/);
      assert.equal(got.join().includes(server.ownerToken.slice(5)), false, "the token itself");
      for (const path of ["/v1/whoami", "/v1/jobs", "/v1/tokens"]) {
        const headers = { cookie: cookie!, origin: server.url, "sec-fetch-site": "same-origin" };
        assert.equal((await fetch(`${server.url}${path}`, { headers })).status, 401, path);
      }
      assert.equal(await tab.evaluate(() => Object.keys(localStorage).join()), "");
      await watched.go("/jobs");
      await watched.page.locator(".frame").waitFor();
    } finally {
      await watched.close();
      other.close();
    }
  });

  it("comes from a link that works once, holds in other tabs, and ends and begins again in all of them", async () => {
    const { path } = await server.call("linkSession");
    const watched = await WatchedPage.open(browser, server.url);
    const { page } = watched;
    await watched.go(path);
    await page.locator(".frame").waitFor();
    assert.equal(new URL(page.url()).hash, "", "the ticket is not left in the address");
    const tab = await page.context().newPage();
    await tab.goto(`${server.url}/jobs`);
    await tab.locator(".frame").waitFor();
    await page.getByRole("banner").getByRole("button", { name: "owner" }).click();
    await page.getByRole("button", { name: "Sign out", exact: true }).click();
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    await tab.reload();
    await tab.getByRole("button", { name: "Sign in" }).waitFor();
    await watched.go("/");
    await watched.go(path);
    await page.getByText("has been used, or is too old").waitFor();
    await watched.signInWithToken(server.ownerToken);
    await tab.locator(".frame").waitFor();
    assert.equal(new URL(tab.url()).pathname, "/jobs", "it is where it was");
    await watched.close();
  });
});
