import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { JobId, KeptOutput } from "@tessera/core";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { serveApi, Tenancy, type TestServer, type TestUser } from "../../testing/tenancy.ts";
import { KeptOutputs } from "./kept.ts";

describe("mounts", () => {
  let control: TestControl;
  let tenancy: Tenancy;
  let server: TestServer;
  let owner: TestUser;
  let ada: TestUser;
  let admin: TestUser;
  let eve: TestUser;
  const kept: KeptOutput = { name: "model", tree: "ab".repeat(32), files: 1, bytes: 1 };
  const waits = { run: "true", not_before: "2100-01-01T00:00:00Z" };
  const submit = (who: TestUser, body: object) => server.call(who.token, "POST", "/v1/jobs", body);
  const orderFor = (id: string) => new KeptOutputs(control).orderFor(control.state.jobById.get(id as JobId)!);

  before(async () => {
    control = await TestControl.start(undefined, fleetOf(2, 8));
    control.capabilities = { images: false, isolation: ["whole"], workdir: true, mounts: true };
    tenancy = new Tenancy(control);
    for (const path of ["lab", "lab/vision", "lab/speech", "mill"]) await tenancy.account(path);
    owner = await tenancy.user("own", "platform-owner");
    admin = await tenancy.user("adm", "tenant-admin", "lab");
    ada = await tenancy.user("ada", "member", "lab/vision");
    eve = await tenancy.user("eve", "member", "mill");
    server = await serveApi(control);
  });
  after(() => server.close());

  it("of volumes: made by the platform owner alone, used by the account and those below", async () => {
    const put = (who: TestUser, account: string, name: string, body: object) =>
      server.call(who.token, "PUT", `/v1/accounts/${encodeURIComponent(account)}/volumes/${name}`, body);
    assert.equal((await put(admin, "lab", "data", { path: "/srv/data" })).status, 403, "it opens a folder of the host");
    assert.equal((await put(owner, "lab", "data", { path: "/srv//data/", readOnly: true })).status, 204);
    assert.equal((await put(owner, "lab", "data", { path: "/srv/data", readOnly: true })).status, 204, "again");
    assert.equal((await put(owner, "lab", "data", { path: "/srv/other" })).status, 409, "a volume never changes");
    for (const path of ["relative", "/", "/proc/1", "/srv/../etc/.."])
      assert.equal((await put(owner, "lab", "bad", { path })).json.field, "path", path);
    const list = await server.call(ada.token, "GET", "/v1/accounts/lab%2Fvision/volumes");
    assert.deepEqual(
      list.json.items.map(({ account, name, path, readOnly }: Record<string, unknown>) => [
        account,
        name,
        path,
        readOnly,
      ]),
      [["lab", "data", "/srv/data", true]],
    );
    const made = await submit(ada, { ...waits, mounts: { "/data/": "vol:data" } });
    assert.equal(made.status, 201, made.text);
    assert.deepEqual(control.state.jobById.get(made.json.id as JobId)!.spec.mounts, { "/data": "vol:data" });
    assert.deepEqual((await orderFor(made.json.id)).mounts, [{ at: "/data", folder: "/srv/data", readOnly: true }]);
    const foreign = await submit(eve, { ...waits, mounts: { "/data": "vol:data" } });
    const unknown = await submit(eve, { ...waits, mounts: { "/data": "vol:none" } });
    assert.equal(foreign.json.detail.replace("vol:data", "vol:none"), unknown.json.detail, "refused alike");
    assert.deepEqual([foreign.status, foreign.json.field], [422, "mounts./data"]);
    assert.equal((await server.call(owner.token, "DELETE", "/v1/accounts/lab/volumes/data")).status, 204);
    await assert.rejects(orderFor(made.json.id), /the volume data was deleted/);
  });

  it("of data that is granted: accounts by policies by engines, as a plain table says", async () => {
    const at = "/v1/accounts/lab/volumes/scans";
    const grant = (grants: object[] | null, who = admin) => server.call(who.token, "PUT", `${at}/grants`, { grants });
    const mine = { ...waits, mounts: { "/scans": "vol:scans" } };
    const theirs = { ...waits, mounts: { "/scans": "vol:lab/scans" } };
    assert.equal((await server.call(owner.token, "PUT", at, { path: "/srv/scans" })).status, 204);
    const forAll = [{ access: "write", accounts: ["lab", "mill"] }];
    const forTests = [
      { access: "read", accounts: ["mill"], purposes: ["tests"] },
      { access: "write", roles: ["member"] },
    ];
    // What each gets: w to write, r to read only, a number to be refused with it.
    const table: [grants: object[] | null, ada: unknown, eve: unknown, eveForTests: unknown][] = [
      [null, "w", 422, 422],
      [[], 403, 422, 422],
      [forAll, "w", "w", "w"],
      [forTests, "w", 403, "r"],
      [[{ access: "read", trust: ["confidential"] }], 403, 422, 422],
    ];
    for (const engine of ["local", "simulated", "kubernetes"]) {
      control.capabilities = { images: engine === "kubernetes", isolation: ["whole"], workdir: true, mounts: true };
      for (const [grants, ...answers] of table) {
        assert.equal((await grant(grants, owner)).status, 204);
        const got = [];
        for (const [who, body] of [
          [ada, mine],
          [eve, theirs],
          [eve, { ...theirs, purpose: "tests" }],
        ] as const) {
          const made = await submit(who, body);
          if (made.status !== 201) got.push(made.status);
          else {
            const [order] = (await orderFor(made.json.id)).mounts!;
            got.push("folder" in order! && order.readOnly ? "r" : "w");
          }
        }
        assert.deepEqual(got, answers, `${engine} ${JSON.stringify(grants)}`);
      }
    }
    control.capabilities = { images: false, isolation: ["whole"], workdir: true, mounts: true };
    assert.equal((await grant([{ access: "read", accounts: ["mill"] }])).json.field, "grants.0.accounts.0");
    const revision = async () =>
      (await server.call(admin.token, "GET", "/v1/accounts/lab/volumes")).json.items[0].revision as string;
    const seen = { "if-match": `"${await revision()}"` };
    const change = (purpose: string) =>
      server.call(admin.token, "PUT", `${at}/grants`, { grants: [{ access: "read", purposes: [purpose] }] }, seen);
    assert.equal((await change("one")).status, 204);
    assert.equal((await change("two")).status, 412, "what others have changed is not written over");
    assert.notEqual(`"${await revision()}"`, seen["if-match"]);
    assert.equal((await grant([], ada)).status, 404, "she has no role at lab");
    assert.equal((await grant([{ access: "read", purposes: ["training"] }])).status, 204);
    const refused = await submit(ada, mine);
    assert.match(refused.json.detail, /granted only for the purpose training/);
    assert.match(refused.json.hint, /Add purpose: training/);
    const waiting = await submit(ada, { ...mine, purpose: "training" });
    assert.equal((await grant([])).status, 204);
    await assert.rejects(
      orderFor(waiting.json.id),
      /the volume scans is granted to no job/,
      "it changed while it waited",
    );
  });

  it("of data that is granted: each start is in the audit of the account whose data it is", async () => {
    const grants = [{ access: "read", accounts: ["mill"], purposes: ["tests"] }];
    assert.equal(
      (await server.call(owner.token, "PUT", "/v1/accounts/lab/volumes/scans/grants", { grants })).status,
      204,
    );
    const body = { run: "true", purpose: "tests", mounts: { "/scans": "vol:lab/scans" } };
    const { json } = await submit(eve, body);
    const audit = await server.call(admin.token, "GET", "/v1/audit?action=data.mount");
    const shown = audit.json.items.map(({ target, account, outcome, detail }: Record<string, unknown>) => [
      target,
      account,
      outcome,
      detail,
    ]);
    assert.deepEqual(shown, [["scans", "lab", "read", `read by ${json.id} attempt 1 of mill for tests`]]);
    assert.deepEqual((await server.call(ada.token, "GET", "/v1/audit?action=data.mount")).status, 403);
    const seen = await server.call(eve.token, "GET", "/v1/accounts/mill/volumes");
    assert.deepEqual(Object.keys(seen.json.items[0]), ["account", "name", "mount", "readOnly", "createdAt"]);
    assert.equal(seen.json.items[0].mount, "vol:lab/scans");
  });

  it("of outputs: of ended jobs of the tenant whose logs one may read, or of jobs that it comes after", async () => {
    const first = await submit(ada, { run: "true", name: "train" });
    const early = await submit(ada, { ...waits, mounts: { "/in": "job:train/model" } });
    assert.match(early.json.detail, /has not ended/);
    assert.match(early.json.hint, /after: train/);
    const later = await submit(ada, { ...waits, after: "train", mounts: { "/in": "job:train/model" } });
    assert.equal(later.status, 201, later.text);
    await control.run(first.json.id);
    const [lease] = control.state.jobById.get(first.json.id as JobId)!.leases;
    await control.report(lease!.id, {
      kind: "exited",
      ran: true,
      code: 0,
      outputs: [kept, { ...kept, name: "none", tree: undefined as never }],
    });
    assert.deepEqual((await orderFor(later.json.id)).mounts, [{ at: "/in", tree: kept.tree }]);

    const made = await submit(ada, { ...waits, mounts: { "/in": "job:train/model" } });
    assert.equal(made.status, 201, made.text);
    const shown = (await server.call(ada.token, "GET", `/v1/jobs/${made.json.id}`)).json.spec;
    assert.deepEqual(
      shown.mounts,
      { "/in": `job:${first.json.id}/model` },
      "by id: a later job of that name is another",
    );
    const wrong = await submit(ada, { ...waits, mounts: { "/in": "job:train/other" } });
    assert.match(wrong.json.hint, /It kept model/);
    const member = await tenancy.user("ben", "member", "lab/vision");
    const said = [];
    for (const [who, job] of [
      [eve, first.json.id],
      [member, first.json.id], // sees that it ran, and may not read its logs
      [ada, "job_0000000000000000"],
    ] as const) {
      const refused = await submit(who, { ...waits, mounts: { "/in": `job:${job}/model` } });
      assert.equal(refused.status, 422);
      said.push(refused.json.detail.replace(job, "JOB"));
    }
    assert.equal(new Set(said).size, 1, "all are refused alike");
    control.setTime(control.now() + 31 * 24 * 3_600_000);
    await assert.rejects(orderFor(made.json.id), /no longer kept/);
  });

  it("are refused where the engine cannot make them", async () => {
    control.capabilities = { images: false, isolation: ["whole"], workdir: true };
    const refused = await submit(ada, { ...waits, mounts: { "/data": "vol:data" } });
    assert.deepEqual([refused.status, refused.json.code, refused.json.field], [422, "unsupported", "mounts"]);
  });
});
