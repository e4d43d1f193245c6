import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { plainTerms, unitsPerGpu } from "@tessera/core";
import type { SeriesView } from "@tessera/wire";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { serveApi, Tenancy, type TestServer, type TestUser } from "../../testing/tenancy.ts";
import { SeriesFollower } from "../../work/series-follower.ts";

describe("GET /v1/series of what the journal knows", () => {
  let control: TestControl;
  let server: TestServer;
  let follower: SeriesFollower;
  let dir: string;
  let owner: TestUser;
  let acme: TestUser;
  let team: TestUser;
  const minute = 60_000;
  const start = 1_800_000_000_000;
  const span = `from=${new Date(start).toISOString()}&to=${new Date(start + 4 * minute).toISOString()}&step=1m`;

  before(async () => {
    dir = mkdtempSync(join(tmpdir(), "tessera-series-"));
    control = await TestControl.start(undefined, []);
    control.setTime(start);
    await control.must({ kind: "node.register", nodes: fleetOf(2, 8) });
    const tenancy = new Tenancy(control);
    const quota = { ...plainTerms.quota, guarantee: { "*": 4 * unitsPerGpu } };
    owner = await tenancy.user("owner", "platform-owner");
    await tenancy.account("acme", { ...plainTerms, quota });
    await tenancy.account("acme/vision");
    await tenancy.account("acme/speech");
    await tenancy.account("rival");
    acme = await tenancy.user("acme-admin", "tenant-admin", "acme");
    team = await tenancy.user("vision", "viewer", "acme/vision");
    const job = await tenancy.job("acme/vision", acme.id, { gpus: 4 });
    await tenancy.job("acme/speech", acme.id, { gpus: 2 });
    await tenancy.job("rival", owner.id, { gpus: 8 });
    await tenancy.job("rival", owner.id, { gpus: 8 }); // has no room
    await control.run(job);
    control.setTime(start + 90_000);
    await control.end(job);
    control.setTime(start + 4 * minute);
    follower = await SeriesFollower.open(control.reader, join(dir, "series.sqlite"), assert.fail);
    const head = await control.reader.head();
    await follower.follow({ seq: head.seq, now: start + 5 * minute });
    const series = { read: async (query: Parameters<SeriesFollower["answer"]>[0]) => follower.answer(query) };
    server = await serveApi(control, {}, undefined, undefined, undefined, undefined, undefined, series);
  });
  after(async () => {
    await server.close();
    rmSync(dir, { recursive: true, force: true });
  });

  const read = async (user: TestUser, query: string) => {
    const { series, unit } = await server.must<SeriesView>(user, "GET", `/v1/series?${span}&${query}`);
    return { unit, ...Object.fromEntries(series.map(({ label, values }) => [label, values])) };
  };

  it("adds up to the capacity", async () => {
    assert.deepEqual(await read(owner, "metric=capacity"), { unit: "GPUs", all: [16, 16, 16, 16] });
    assert.deepEqual(await read(owner, "metric=allocated&by=class"), {
      unit: "GPUs",
      guaranteed: [4, 2, 2, 2],
      burst: [10, 8, 8, 8], // one job came inside the guarantee when the other ended
    });
    assert.deepEqual(await read(owner, "metric=idle&by=model"), { unit: "GPUs", H100: [2, 6, 6, 6] });
    assert.deepEqual(await read(owner, "metric=waiting&by=reason"), { unit: "GPUs", capacity: [8, 8, 8, 8] });
    assert.deepEqual(await read(owner, "metric=starts"), { unit: "jobs", all: [3, 0, 0, 0] });
    assert.deepEqual(await read(owner, "metric=ends&by=outcome"), { unit: "jobs", succeeded: [0, 1, 0, 0] });
    assert.deepEqual(await read(owner, "metric=largest_gang"), { unit: "GPUs", all: [2, 6, 6, 6] });
    assert.deepEqual(await read(owner, "metric=fragmentation"), { unit: "%", all: [100, 100, 100, 100] });
  });

  it("splits by the accounts right below, for the owner by tenant, for a tenant by team", async () => {
    assert.deepEqual(await read(owner, "metric=allocated&by=account"), {
      unit: "GPUs",
      rival: [8, 8, 8, 8],
      acme: [6, 2, 2, 2],
    });
    assert.deepEqual(await read(acme, "metric=allocated&by=account"), {
      unit: "GPUs",
      "acme/vision": [4, 0, 0, 0],
      "acme/speech": [2, 2, 2, 2],
    });
    assert.deepEqual(await read(owner, "metric=borrowed&by=account&account=acme"), {
      unit: "GPUs",
      "acme/speech": [2, 0, 0, 0],
    });
    assert.deepEqual(await read(acme, "metric=guarantee"), { unit: "GPUs", all: [4, 4, 4, 4] });
  });

  it("shows a tenant and a team what is theirs and what all may know of the fleet, and nothing else", async () => {
    for (const [user, held, started] of [
      [acme, [6, 2, 2, 2], [2, 0, 0, 0]],
      [team, [4, 0, 0, 0], [1, 0, 0, 0]],
    ] as const) {
      assert.deepEqual(await read(user, "metric=allocated"), { unit: "GPUs", all: held });
      assert.deepEqual(await read(user, "metric=starts"), { unit: "jobs", all: started });
      assert.deepEqual(await read(user, "metric=waiting"), { unit: "GPUs", all: [0, 0, 0, 0] });
      assert.deepEqual(await read(user, "metric=idle"), { unit: "GPUs", all: [2, 6, 6, 6] });
    }
    for (const account of ["rival", "nowhere"]) {
      const answer = await server.call(acme.token, "GET", `/v1/series?metric=allocated&account=${account}`);
      assert.equal(answer.status, 404);
    }
  });

  it("says what does not go together", async () => {
    for (const [query, field, hint] of [
      ["metric=allocated&by=reason", "by", /none, class, account, model/],
      ["metric=activity&by=reason", "by", /none, account, user/],
      ["metric=allocated&job=x", "job", /Leave it out/],
      ["metric=idle&account=acme", "account", /whole fleet/],
    ] as const) {
      const { status, text } = await server.call(owner.token, "GET", `/v1/series?${query}`);
      assert.equal(status, 422, text);
      assert.equal(JSON.parse(text).field, field);
      assert.match(JSON.parse(text).hint, hint);
    }
  });
});
