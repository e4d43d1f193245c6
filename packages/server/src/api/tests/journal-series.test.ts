import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { plainTerms, unitsPerGpu } from "@tessera/core";
import type { SeriesView } from "@tessera/wire";
import { Outage } from "../../flow/control.ts";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { serveApi, Tenancy, type TestServer, type TestUser } from "../../testing/tenancy.ts";
import { QueueFull } from "../../work/fair-queue.ts";
import type { JournalSeries } from "../../work/series.ts";
import { SeriesFollower } from "../../work/series-follower.ts";

describe("GET /v1/series of what the journal knows", () => {
  let control: TestControl;
  let tenancy: Tenancy;
  let server: TestServer;
  let follower: SeriesFollower;
  let dir: string;
  let owner: TestUser;
  let acme: TestUser;
  let team: TestUser;
  /** Why nothing can be read now, by who asks. */
  let refusal: ((caller: string) => Error) | undefined;
  const minute = 60_000;
  const start = 1_800_000_000_000;
  const span = `from=${new Date(start).toISOString()}&to=${new Date(start + 4 * minute).toISOString()}&step=1m`;

  before(async () => {
    dir = mkdtempSync(join(tmpdir(), "tessera-series-"));
    control = await TestControl.start(undefined, []);
    control.setTime(start);
    await control.must({ kind: "node.register", nodes: fleetOf(2, 8) });
    tenancy = new Tenancy(control);
    const max = (gpus: number) => ({ "*": gpus * unitsPerGpu });
    const ofModels = { ...max(12), H100: 10 * unitsPerGpu };
    const quota = { ...plainTerms.quota, guarantee: { "*": 4 * unitsPerGpu }, max: ofModels };
    const ofTeam = { ...plainTerms, quota: { ...plainTerms.quota, max: max(8) } };
    owner = await tenancy.user("owner", "platform-owner");
    await tenancy.account("acme", { ...plainTerms, quota });
    await tenancy.account("acme/vision", ofTeam);
    await tenancy.account("acme/speech", ofTeam);
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
    const series: JournalSeries = {
      async read(query, caller) {
        if (refusal !== undefined) throw refusal(caller);
        return follower.answer(query, start + 5 * minute);
      },
    };
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
    const gangs = [2, 6, 6, 6];
    const byLevel = { unit: "GPUs", node: gangs, rack: gangs, block: gangs, fleet: gangs };
    assert.deepEqual(await read(owner, "metric=largest_gang&by=level"), byLevel);
    assert.deepEqual(await read(owner, "metric=largest_gang&level=node"), { unit: "GPUs", all: gangs });
    assert.deepEqual(await read(owner, "metric=largest_gang&by=model&level=node"), { unit: "GPUs", H100: gangs });
    const whole = `from=${new Date(start).toISOString()}&to=${new Date(start + 4 * minute).toISOString()}&step=1h`;
    const { series } = await server.must<SeriesView>(owner, "GET", `/v1/series?${whole}&metric=largest_gang`);
    assert.deepEqual(series[0]!.values, [6], "what stands at the end, and no mean");
    assert.deepEqual(await read(owner, "metric=fragmentation"), { unit: "%", all: [100, 100, 100, 100] });
    assert.deepEqual(await read(owner, "metric=fragmentation&by=model"), { unit: "%", H100: [100, 100, 100, 100] });
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
    const teams = { "acme/vision": [4, 0, 0, 0], "acme/speech": [2, 2, 2, 2] };
    assert.deepEqual(await read(owner, "metric=allocated&by=team"), { unit: "GPUs", rival: [8, 8, 8, 8], ...teams });
    assert.deepEqual(await read(acme, "metric=allocated&by=team"), { unit: "GPUs", ...teams });
    assert.deepEqual(await read(owner, "metric=burst&by=account&account=acme"), {
      unit: "GPUs",
      "acme/speech": [2, 0, 0, 0],
    });
    assert.deepEqual(await read(acme, "metric=guarantee"), { unit: "GPUs", all: [4, 4, 4, 4] });
    assert.deepEqual(await read(acme, "metric=guarantee&by=model"), { unit: "GPUs", "*": [4, 4, 4, 4] });
  });

  it("knows no limit where there is none, and takes no limit away from the account above", async () => {
    assert.deepEqual(await read(owner, "metric=max"), { unit: "GPUs", all: [null, null, null, null] });
    assert.deepEqual(await read(owner, "metric=max&account=rival"), { unit: "GPUs", all: [null, null, null, null] });
    assert.deepEqual(await read(owner, "metric=max&account=acme"), { unit: "GPUs", all: [12, 12, 12, 12] });
    assert.deepEqual(await read(owner, "metric=max&by=account&account=acme"), {
      unit: "GPUs",
      "acme/vision": [8, 8, 8, 8],
      "acme/speech": [8, 8, 8, 8],
    });
    const byModel = { unit: "GPUs", "*": [12, 12, 12, 12], H100: [10, 10, 10, 10] };
    assert.deepEqual(await read(owner, "metric=max&by=model&account=acme"), byModel);
    const ofBoth = await tenancy.user("both", "viewer", "acme/vision");
    await control.must({ kind: "role.bind", user: ofBoth.id, role: "viewer", account: "rival" });
    assert.deepEqual(await read(ofBoth, "metric=max"), { unit: "GPUs", all: [null, null, null, null] });
    await control.must({ kind: "role.unbind", user: ofBoth.id, role: "viewer", account: "rival" });
    await control.must({ kind: "role.bind", user: ofBoth.id, role: "viewer", account: "acme/speech" });
    assert.deepEqual(await read(ofBoth, "metric=max"), { unit: "GPUs", all: [16, 16, 16, 16] });
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
      ["metric=allocated&by=reason", "by", /none, class, account, team, model/],
      ["metric=activity&by=reason", "by", /none, account, user/],
      ["metric=allocated&job=x", "job", /Leave it out/],
      ["metric=idle&account=acme", "account", /whole fleet/],
      ["metric=idle&level=rack", "level", /Leave it out/],
      ["metric=largest_gang&by=level&level=rack", "level", /Leave it out/],
    ] as const) {
      const { status, text } = await server.call(owner.token, "GET", `/v1/series?${query}`);
      assert.equal(status, 422, text);
      assert.equal(JSON.parse(text).field, field);
      assert.match(JSON.parse(text).hint, hint);
    }
  });

  it("says why charts cannot be read now, and to whom it is that asks for too many of them", async () => {
    const answers = async (user: TestUser) => {
      const { status, json } = await server.call(user.token, "GET", `/v1/series?${span}&metric=idle`);
      return [status, json.code, json.detail];
    };
    refusal = (caller) => new QueueFull(caller === acme.id);
    assert.deepEqual(await answers(acme), [429, "rate-limited", "Too many of your requests wait to be worked on."]);
    assert.deepEqual(await answers(team), [503, "unavailable", "Too many requests wait to be worked on."]);
    refusal = () => new Outage("the disk of the series is full; free some space");
    assert.deepEqual(await answers(team), [503, "unavailable", "The disk of the series is full; free some space."]);
    refusal = undefined;
  });

  it("keeps what deleted accounts did apart from what the account above did itself", async () => {
    control.setTime(start + 5 * minute);
    await control.must({ kind: "account.delete", path: "acme/vision" });
    control.setTime(start + 6 * minute);
    const head = await control.reader.head();
    await follower.follow({ seq: head.seq, now: start + 7 * minute });
    assert.deepEqual(await read(acme, "metric=allocated&by=account"), {
      unit: "GPUs",
      "former accounts": [4, 0, 0, 0],
      "acme/speech": [2, 2, 2, 2],
    });
    assert.deepEqual(await read(acme, "metric=starts&by=account"), {
      unit: "jobs",
      "acme/speech": [1, 0, 0, 0],
      "former accounts": [1, 0, 0, 0],
    });
    assert.deepEqual(await read(acme, "metric=allocated"), { unit: "GPUs", all: [6, 2, 2, 2] }, "the sum stays");
    // A new account of that name has no part in it.
    await tenancy.account("acme/vision");
    assert.deepEqual(await read(acme, "metric=allocated&by=account&account=acme/vision"), {
      unit: "GPUs",
      "acme/vision": [0, 0, 0, 0],
    });
  });
});
