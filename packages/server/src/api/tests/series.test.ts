import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { AccountId, JobId } from "@tessera/core";
import { openTelemetry, type TelemetryRow, type TelemetryStore } from "@tessera/telemetry";
import type { SeriesView } from "@tessera/wire";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { serveApi, Tenancy, type TestServer, type TestUser } from "../../testing/tenancy.ts";

describe("GET /v1/series", () => {
  let control: TestControl;
  let server: TestServer;
  let telemetry: TelemetryStore;
  let owner: TestUser;
  let acme: { user: TestUser; job: JobId };
  let rival: { user: TestUser; job: JobId };
  const start = 1_800_000_000_000;
  const span = `from=${new Date(start).toISOString()}&to=${new Date(start + 60_000).toISOString()}&step=10s`;

  before(async () => {
    control = await TestControl.start(undefined, fleetOf(2, 2));
    const tenancy = new Tenancy(control);
    telemetry = openTelemetry({ warn: assert.fail });
    server = await serveApi(control, {}, undefined, undefined, undefined, telemetry);
    owner = await tenancy.user("owner", "platform-owner");
    const tenantOf = async (path: string, gpu: string, smActive: number) => {
      await tenancy.account(path);
      const account = await tenancy.account(`${path}/team`);
      const user = await tenancy.user(`${path}-admin`, "tenant-admin", path);
      const job = await tenancy.job(`${path}/team`, user.id, { name: `${path}-job`, gpus: 1 });
      telemetry.write([rowOf(gpu, smActive, { account, job, user: user.id })]);
      return { user, job };
    };
    const rowOf = (
      gpu: string,
      smActive: number,
      whose: { account?: AccountId; job?: JobId; user?: TestUser["id"] } = {},
    ): TelemetryRow => ({
      ...{ at: start + 10_000, spanMs: 10_000, node: "test/n1", gpu, model: "H100", share: 21_000 },
      ...{ source: "simulated", metrics: { smActive, powerMilliwatts: 500_000 } },
      ...whose,
      ...(whose.job !== undefined && { rank: 0, lease: `${whose.job}-1-0` as TelemetryRow["lease"] & string }),
    });
    acme = await tenantOf("acme", "GPU-1-0", 8_000);
    rival = await tenantOf("rival", "GPU-1-1", 2_000);
    telemetry.write([rowOf("GPU-2-0", 0)]);
    control.setTime(start + 3_600_000);
  });
  after(async () => {
    await server.close();
    await telemetry.close();
  });

  const read = (user: TestUser, query: string) => server.must<SeriesView>(user, "GET", `/v1/series?${span}&${query}`);
  const firsts = ({ series }: SeriesView) => series.map(({ label, values }) => [label, values[0]]);

  it("gives lines with their unit, names and times, and null where nothing was measured", async () => {
    const view = await read(owner, "metric=power&by=account");
    assert.deepEqual([view.metric, view.unit, view.stepMs, view.times[1]], ["power", "W", 10_000, start + 10_000]);
    assert.deepEqual(firsts(view).sort(), [
      ["acme/team", 500],
      ["no lease", 500],
      ["rival/team", 500],
    ]);
    assert.deepEqual(view.series[0]!.values.slice(1), [null, null, null, null, null]);
    assert.equal(view.series[0]!.simulated, true);
    assert.deepEqual(firsts(await read(owner, "by=job&account=acme")), [["acme-job", 80]]);
  });

  it("shows a tenant what its own leases did and nothing else, whatever is asked", async () => {
    const { user } = acme;
    for (const by of ["none", "account", "user", "job", "rank", "node", "gpu", "model"])
      assert.deepEqual(
        (await read(user, `by=${by}`)).series.map(({ values }) => values[0]),
        [80],
        by,
      );
    for (const query of ["node=n1", "gpu=GPU-1-0", `job=${acme.job}`, "job=acme-job", "account=acme/team"])
      assert.deepEqual(firsts(await read(user, query)), [["all", 80]], query);
    assert.deepEqual(firsts(await read(user, "gpu=GPU-1-1")), []);
  });

  it("shows what a job did whose account was deleted, to those of the account above and to no others", async () => {
    const { user } = rival;
    await control.run(rival.job);
    await control.finish(rival.job);
    await control.must({ kind: "account.delete", path: "rival/team" });
    assert.deepEqual(firsts(await read(user, `job=${rival.job}`)), [["all", 20]]);
    assert.deepEqual(firsts(await read(owner, `job=${rival.job}`)), [["all", 20]]);
    assert.equal((await server.call(acme.user.token, "GET", `/v1/series?job=${rival.job}`)).status, 404);
    const [, former] = firsts(await read(owner, "by=account&metric=activity")).sort();
    assert.match(String(former![0]), /^former account acc_/);
  });

  it("answers what one may not see like what does not exist", async () => {
    const ask = async (query: string) => {
      const { status, text } = await server.call(acme.user.token, "GET", `/v1/series?${query}`);
      const { requestId: _, ...problem } = JSON.parse(text);
      return { status, problem };
    };
    const hidden = await ask(`job=${rival.job}`);
    const missing = await ask("job=job_aaaaaaaaaaaaaaaa");
    assert.equal(hidden.status, 404);
    const text = JSON.stringify(hidden).replaceAll(rival.job, "job_aaaaaaaaaaaaaaaa");
    assert.deepEqual(JSON.parse(text), missing);
    assert.equal((await ask("account=rival")).status, 404);
    assert.equal((await ask("node=n9")).status, 404);
  });

  it("refuses more steps than it draws, and says what to give instead", async () => {
    for (const [query, field, hint] of [
      ["from=10d&step=10s", "step", /at most 2000 steps/],
      ["step=1s", "step", /10s or more/],
      ["from=1h&to=2h", "from", /earlier time first/],
      ["metric=heat", "metric", /./],
    ] as const) {
      const answer = await server.call(owner.token, "GET", `/v1/series?${query}`);
      const problem = JSON.parse(answer.text);
      assert.ok(answer.status === 403 || answer.status === 422 || answer.status === 400, `${query}: ${answer.text}`);
      assert.equal(problem.field, field, answer.text);
      assert.match(problem.hint ?? problem.detail, hint);
    }
  });

  it("chooses a step for a long time", async () => {
    const view = await server.must<SeriesView>(owner, "GET", "/v1/series?from=30d");
    assert.ok(view.times.length <= 302 && view.stepMs === 3 * 3_600_000, `${view.stepMs}`);
  });
});
