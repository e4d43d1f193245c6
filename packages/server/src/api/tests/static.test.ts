import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pagePaths } from "@tessera/wire/pages";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { serveApi, type TestServer } from "../../testing/tenancy.ts";

describe("the console's files", () => {
  const folder = mkdtempSync(join(tmpdir(), "tessera-console-"));
  let server: TestServer;

  before(async () => {
    mkdirSync(join(folder, "assets"));
    writeFileSync(join(folder, "index.html"), "<!doctype html><title>Tessera</title>");
    writeFileSync(join(folder, "assets", "main-abc123.js"), "export {};");
    writeFileSync(join(folder, "favicon.svg"), "<svg/>");
    server = await serveApi(await TestControl.start(undefined, fleetOf(1, 1)), { console: folder });
  });
  after(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });

  const get = (path: string) => server.call(undefined, "GET", path);

  it("are the page at every address of a page, never kept by a browser, and safe", async () => {
    const typed = ["/queue", "/jobs/job_1.2", "/quota/acme/team", "/fleet?colour=mode"];
    for (const path of [...pagePaths.map((path) => path.replaceAll(/[:*?]/g, "x")), ...typed]) {
      const answer = await get(path);
      assert.equal(answer.status, 200, path);
      assert.equal(answer.headers.get("cache-control"), "no-cache");
      const policy = answer.headers.get("content-security-policy")!;
      assert.match(policy, /default-src 'none'/);
      assert.doesNotMatch(policy, /unsafe|\*|https?:/);
      assert.equal(answer.headers.get("x-content-type-options"), "nosniff");
    }
  });

  it("are kept for ever where their name carries a hash", async () => {
    const answer = await get("/assets/main-abc123.js");
    assert.match(answer.headers.get("cache-control")!, /immutable/);
    assert.match(answer.headers.get("content-type")!, /^text\/javascript/);
    assert.equal(answer.text, "export {};");
  });

  it("are the only answers that a browser may show: all others are data", async () => {
    for (const path of ["/healthz", "/v1/jobs", "/v1/nothing", "/openapi.json"]) {
      const { headers } = await get(path);
      assert.match(headers.get("content-security-policy")!, /default-src 'none'.*frame-ancestors 'none'/, path);
      assert.equal(headers.get("x-content-type-options"), "nosniff", path);
      assert.equal(headers.get("referrer-policy"), "no-referrer", path);
      assert.equal(headers.get("cache-control"), "no-store", path);
      assert.equal(headers.get("strict-transport-security"), null, "without TLS");
    }
  });

  it("say to people that an address does not exist, and leave programs their answer", async () => {
    const visit = (path: string, accept: string) => fetch(`${server.url}${path}`, { headers: { accept } });
    const page = await visit("/nothing/here", "text/html,application/xhtml+xml,*/*;q=0.8");
    assert.equal(page.status, 404);
    assert.match(page.headers.get("content-type")!, /^text\/html/);
    assert.match(page.headers.get("content-security-policy")!, /script-src 'self'/);
    for (const path of ["/v1/nothing", "/v1", "/assets/old.js", "/metrics/x"])
      assert.match((await visit(path, "text/html")).headers.get("content-type")!, /problem\+json/, path);
    assert.match((await visit("/nothing", "*/*")).headers.get("content-type")!, /problem\+json/);
  });

  it("leave unknown addresses unknown, and reach nothing outside their folder", async () => {
    for (const path of ["/v1/nothing", "/assets/main-old.js", "/secret", "/assets/..%2f..%2fetc%2fpasswd", "/queuex"]) {
      const answer = await get(path);
      assert.equal(answer.status, 404, path);
      assert.match(answer.headers.get("content-type")!, /problem\+json/);
    }
  });
});
