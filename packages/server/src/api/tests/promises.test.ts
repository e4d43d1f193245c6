import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { numberBounds } from "@tessera/core";
import { MemoryPlace } from "../../store/index.ts";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { type Answer, serveApi, Tenancy, type TestServer } from "../../testing/tenancy.ts";

/** A server that can be ended and started again on the same store. */
async function restartable() {
  const place = new MemoryPlace();
  let control = await TestControl.start(place, fleetOf(1, 8));
  const tenancy = new Tenancy(control);
  await tenancy.account("lab");
  const owner = await tenancy.user("own", "platform-owner");
  const admin = await tenancy.user("ada", "tenant-admin", "lab");
  let server = await serveApi(control);
  return {
    owner,
    admin,
    get control() {
      return control;
    },
    get server(): TestServer {
      return server;
    },
    async restart() {
      await server.close();
      control = await TestControl.start(place);
      server = await serveApi(control);
    },
  };
}

const keyed = (key: string) => ({ "idempotency-key": key });
const same = (answer: Answer) => [answer.status, answer.text];

describe("creates", () => {
  const creates: readonly (readonly [string, object, object])[] = [
    ["/v1/jobs", { run: "true", name: "one", project: "lab" }, { run: "false", name: "one", project: "lab" }],
    ["/v1/accounts", { path: "lab/team", weight: 2 }, { path: "lab/crew", weight: 3 }],
    [
      "/v1/users",
      { name: "eve", email: "e@x", role: "member", account: "lab" },
      { name: "eve2", role: "member", account: "lab" },
    ],
    ["/v1/tokens", { label: "ci", expiresIn: "1h", scopes: ["job.submit"] }, { label: "ci2" }],
    [
      "/v1/role-bindings",
      { user: "own", role: "viewer", account: "lab" },
      { user: "own", role: "member", account: "lab" },
    ],
  ];

  for (const [path, body, other] of creates) {
    it(`[S15] POST ${path} with a key answers the same again, at once and after a crash, and refuses another body`, async () => {
      const t = await restartable();
      try {
        const ask = (sent: object, key = "k1") => t.server.call(t.owner.token, "POST", path, sent, keyed(key));
        const [first, twin] = await Promise.all([ask(body), ask(body)]);
        assert.equal(first.status, 201, first.text);
        assert.deepEqual(same(twin), same(first));
        assert.deepEqual(same(await ask(body)), same(first));
        const clash = await ask(other);
        assert.deepEqual([clash.status, clash.json.code], [409, "key-reused"]);
        await t.restart();
        assert.deepEqual(same(await ask(body)), same(first));
        assert.equal((await ask(other)).status, 409);
        assert.equal((await ask(other, "k2")).status, 201);
      } finally {
        await t.server.close();
      }
    });
  }

  it("[S15] answer the same also when the job has ended or the token was revoked since", async () => {
    const t = await restartable();
    try {
      const job = { run: "true", project: "lab", gpus: ["H100:2", "A100:4"], array: "1-2" };
      const made = await t.server.call(t.owner.token, "POST", "/v1/jobs", job, keyed("a"));
      for (const element of [1, 2]) {
        await t.control.run(`${made.json.id}.${element}`);
        await t.control.finish(`${made.json.id}.${element}`);
      }
      assert.equal(t.control.state.jobs.size, 0);
      assert.deepEqual(same(await t.server.call(t.owner.token, "POST", "/v1/jobs", job, keyed("a"))), same(made));
      const token = await t.server.call(t.owner.token, "POST", "/v1/tokens", { label: "x" }, keyed("b"));
      assert.equal((await t.server.call(token.json.token, "GET", "/v1/whoami")).status, 200);
      assert.equal((await t.server.call(t.owner.token, "DELETE", `/v1/tokens/${token.json.id}`)).status, 204);
      assert.deepEqual(
        same(await t.server.call(t.owner.token, "POST", "/v1/tokens", { label: "x" }, keyed("b"))),
        same(token),
      );
      assert.equal((await t.server.call(token.json.token, "GET", "/v1/whoami")).status, 401);
    } finally {
      await t.server.close();
    }
  });

  it("[S15] answer the same when what they leaned on is gone", async () => {
    const t = await restartable();
    try {
      await new Tenancy(t.control).secret("lab", "S", "v");
      const soon = new Date(t.control.now() + 60_000).toISOString();
      const job = { run: "sleep 9", project: "lab", secrets: ["S"], deadline: soon };
      const made = await t.server.call(t.owner.token, "POST", "/v1/jobs", job, keyed("a"));
      assert.equal(made.status, 201, made.text);
      await t.control.must({ kind: "secret.delete", account: "lab", name: "S" });
      t.control.setTime(t.control.now() + 120_000);
      assert.deepEqual(same(await t.server.call(t.owner.token, "POST", "/v1/jobs", job, keyed("a"))), same(made));
    } finally {
      await t.server.close();
    }
  });

  it("keep keys of different users apart", async () => {
    const t = await restartable();
    try {
      const ask = (token: string) =>
        t.server.call(token, "POST", "/v1/jobs", { run: "true", project: "lab" }, keyed("same"));
      const [one, two] = [await ask(t.owner.token), await ask(t.admin.token)];
      assert.equal(one.status, 201);
      assert.equal(two.status, 201);
      assert.notEqual(one.json.id, two.json.id);
    } finally {
      await t.server.close();
    }
  });

  it("[S14] that were refused change nothing, and an outage says so", async () => {
    const t = await restartable();
    try {
      const head = await t.control.reader.head();
      assert.equal((await t.server.call(t.owner.token, "POST", "/v1/accounts", { path: "lab" })).status, 409);
      assert.equal(
        (await t.server.call(t.owner.token, "POST", "/v1/jobs", { run: "x", project: "lab", gpus: "B200:1" })).status,
        422,
      );
      assert.deepEqual(await t.control.reader.head(), head);
      t.control.outage = "the disk is gone";
      const down = await t.server.call(t.owner.token, "POST", "/v1/jobs", { run: "x", project: "lab" });
      assert.deepEqual([down.status, down.json.code, down.headers.get("retry-after")], [503, "unavailable", "1"]);
      assert.doesNotMatch(down.text, /disk is gone/);
      assert.equal((await t.server.call(undefined, "GET", "/readyz")).status, 503);
      assert.equal((await t.server.call(t.owner.token, "GET", "/v1/jobs")).status, 200);
    } finally {
      await t.server.close();
    }
  });
});

describe("edits", () => {
  it("with If-Match happen only to the revision that was seen", async () => {
    const t = await restartable();
    try {
      const seen = await t.server.call(t.owner.token, "GET", "/v1/accounts/lab");
      const tag = seen.headers.get("etag")!;
      assert.equal(tag, `"${seen.json.revision}"`);
      const edit = (body: object, ifMatch?: string) =>
        t.server.call(
          t.owner.token,
          "PATCH",
          "/v1/accounts/lab",
          body,
          ifMatch === undefined ? {} : { "if-match": ifMatch },
        );
      const changed = await edit(
        { guarantee: { H100: 4 }, max: 8, limits: { runTime: "2h", gpuHours: { max: 10, every: "1d" } } },
        tag,
      );
      assert.equal(changed.status, 200, changed.text);
      assert.deepEqual(changed.json.guarantee, { H100: 4 });
      assert.deepEqual(changed.json.max, { "*": 8 });
      assert.deepEqual(changed.json.limits, { runTime: "2h", gpuHours: { max: 10, every: "1d" } });
      assert.notEqual(changed.json.revision, seen.json.revision);
      const stale = await edit({ weight: 5 }, tag);
      assert.deepEqual([stale.status, stale.json.code], [412, "stale"]);
      const free = await edit({ max: null, weight: 3 });
      assert.deepEqual([free.status, free.json.max, free.json.weight], [200, undefined, 3]);
      assert.deepEqual(free.json.guarantee, { H100: 4 });
      assert.equal((await edit({ weight: 4 }, "*")).status, 200);
      const ordered = await edit({ order: "aged-shortest" });
      assert.deepEqual(
        [ordered.json.order, (await edit({ weight: 2 })).json.order],
        ["aged-shortest", "aged-shortest"],
      );
      assert.equal((await edit({ order: "age" })).json.order, "age");
      const alone = await edit({ quantum: "30m" });
      assert.deepEqual([alone.status, alone.json.field], [422, "quantum"], alone.text);
      assert.equal((await edit({ order: "attained-service", quantum: "30m" })).json.quantum, "30m");
      assert.equal((await edit({ weight: 2 })).json.quantum, "30m");
      assert.equal((await edit({ quantum: "1s" })).json.field, "quantum");
      assert.equal((await edit({ order: "age" })).json.quantum, undefined);
      assert.equal((await edit({ historyHalfLife: "7d" })).json.historyHalfLife, "7d");
      assert.deepEqual((await edit({ allowMigWith: ["mill", "guest", "mill"] })).json.allowMigWith, ["guest", "mill"]);
      assert.equal((await edit({ allowMigWith: [] })).json.allowMigWith, undefined);
      const child = await t.server.call(t.owner.token, "POST", "/v1/accounts", { path: "lab/below" });
      const below = await t.server.call(t.owner.token, "GET", "/v1/accounts/lab%2Fbelow");
      assert.deepEqual([child.status, below.json.used.borrowedBefore], [201, 0]);
      assert.equal((await edit({ historyHalfLife: null })).json.historyHalfLife, undefined);
      const brief = await edit({ historyHalfLife: "5m" });
      assert.deepEqual([brief.status, brief.json.field], [422, "historyHalfLife"], brief.text);
      assert.deepEqual(
        [(await edit({ order: "luck" })).status, (await edit({ order: "luck" })).json.field],
        [400, "order"],
      );
      const gone = await t.server.call(t.owner.token, "DELETE", "/v1/accounts/lab", undefined, { "if-match": tag });
      assert.equal(gone.status, 412);
    } finally {
      await t.server.close();
    }
  });
});

describe("pages", () => {
  it("follow each other without gap or repetition, live and ended jobs in one order", async () => {
    const t = await restartable();
    try {
      const made: string[] = [];
      for (let i = 0; i < 25; i++) {
        const job = await t.server.call(t.owner.token, "POST", "/v1/jobs", {
          run: "true",
          project: "lab",
          ...(i % 2 && { not_before: "2100-01-01T00:00:00Z" }),
        });
        made.push(job.json.id);
        if (i % 2 === 0) {
          await t.control.run(job.json.id);
          await t.control.finish(job.json.id);
        }
      }
      const read = async (path: string, between?: (page: number) => Promise<void>) => {
        const ids: string[] = [];
        for (let next = "", page = 0; ; page++) {
          const answer = await t.server.call(t.owner.token, "GET", `${path}&limit=4${next && `&cursor=${next}`}`);
          assert.equal(answer.status, 200, answer.text);
          ids.push(...answer.json.items.map((item: { id: string }) => item.id));
          if (answer.json.next === undefined) return ids;
          assert.doesNotMatch(Buffer.from(answer.json.next, "base64url").toString("latin1"), /job_|submitted/);
          next = answer.json.next;
          await between?.(page);
        }
      };
      const all = await read("/v1/jobs?state=all", async (page) => {
        // A job that ends while one pages is still met exactly once.
        if (page === 1) await t.server.call(t.owner.token, "POST", `/v1/jobs/${made[5]}/cancel`);
      });
      assert.equal(new Set(all).size, 25);
      assert.deepEqual(all.toSorted(), made.toSorted());
      assert.equal((await read("/v1/jobs?state=ended")).length, 14);
      assert.equal((await read("/v1/jobs?state=waiting")).length, 11);
      const audit = await t.server.call(t.owner.token, "GET", "/v1/audit?limit=10&action=job.submit");
      const rest = await t.server.call(
        t.owner.token,
        "GET",
        `/v1/audit?limit=100&action=job.submit&cursor=${audit.json.next}`,
      );
      assert.deepEqual([audit.json.items.length, rest.json.items.length], [10, 15]);
      const wrong = await t.server.call(t.owner.token, "GET", `/v1/jobs?cursor=${audit.json.next}`);
      assert.equal(wrong.status, 404);
    } finally {
      await t.server.close();
    }
  });
});

describe("a quota for a time", () => {
  it("is given in local time, shown, kept from other edits, and taken back", async () => {
    const t = await restartable();
    try {
      const edit = (body: object) => t.server.call(t.owner.token, "PATCH", "/v1/accounts/lab", body);
      const before = (await edit({ guarantee: 1, max: 4 })).json;
      const window = { from: "2100-07-01T08:00", to: "2100-07-02T08:00", tz: "Europe/Berlin" };
      const planned = await edit({ guarantee: 2, max: null, window });
      assert.equal(planned.status, 200, planned.text);
      assert.deepEqual(planned.json.windows, [
        {
          from: "2100-07-01T06:00:00.000Z",
          to: "2100-07-02T06:00:00.000Z",
          tz: "Europe/Berlin",
          state: "planned",
          quota: { guarantee: { "*": 2 }, max: null },
        },
      ]);
      assert.deepEqual([planned.json.guarantee, planned.json.max], [before.guarantee, before.max]);
      const now = await edit({ weight: 7, window: { from: "2020-01-01T00:00Z", to: "2099-01-01T00:00Z" } });
      assert.deepEqual([now.json.weight, now.json.windows.length], [7, 2]);
      const other = await edit({ max: 5 });
      assert.deepEqual([other.json.weight, other.json.max, other.json.windows.length], [7, { "*": 5 }, 2]);
      for (const [body, field] of [
        [{ trust: "untrusted", window }, "trust"],
        [{ window }, "window"],
        [{ weight: 1, window: { ...window, tz: "Mars/Base" } }, "window.tz"],
        [{ weight: 1, window: { ...window, from: "2100-02-31" } }, "window.from"],
        [{ weight: 1, window: { ...window, to: window.from } }, "window.to"],
        [{ weight: 1, window: null }, "weight"],
      ] as const) {
        const refused = await edit(body);
        assert.deepEqual([refused.status, refused.json.field], [422, field], refused.text);
      }
      assert.equal((await edit({ weight: 1, window })).status, 409);
      const back = await edit({ window: null });
      assert.deepEqual([back.json.weight, back.json.max, back.json.windows], [1, { "*": 5 }, undefined]);
      const { items } = (await t.server.call(t.owner.token, "GET", "/v1/audit?action=account.window")).json;
      assert.equal(items.length, 3);
    } finally {
      await t.server.close();
    }
  });
});

describe("the policy", () => {
  it("is read by everyone, changed as a whole, and refused when it changed since one looked", async () => {
    const t = await restartable();
    try {
      const seen = await t.server.call(t.owner.token, "GET", "/v1/policy");
      const { revision, ...plain } = seen.json;
      const shown = {
        rebalance: "checkpointed",
        minRuntime: "5m",
        grace: "30s",
        graceMax: "15m",
        backfill: true,
        movesPerHourMax: 60,
        scrub: "off",
        reshape: "off",
        snapshotFilesMax: 20_000,
        snapshotMiBMax: 2_048,
        contentMiBMax: 204_800,
        acceptance: "off",
        checkEvery: "off",
        sessionIdle: "30m",
        sessionLife: "12h",
        passwords: "on",
        tokenLife: "off",
        lostWork: "grace",
        max: Object.fromEntries(Object.entries(numberBounds).map(([name, { plain }]) => [name, plain])),
      };
      assert.deepEqual(plain, shown);
      const put = (body: object, ifMatch = revision) =>
        t.server.call(t.owner.token, "PUT", "/v1/policy", body, { "if-match": ifMatch });
      const changed = await put({ ...plain, rebalance: "off", grace: "2m" });
      assert.equal(changed.status, 200, changed.text);
      assert.deepEqual(t.control.state.policy, {
        rebalance: "off",
        minRuntimeMs: 300_000,
        graceMs: 120_000,
        graceMsMax: 900_000,
        backfill: true,
        movesPerHourMax: 60,
        snapshotFilesMax: 20_000,
        snapshotMiBMax: 2_048,
        contentMiBMax: 204_800,
      });
      assert.deepEqual([(await put(plain)).status, (await put(plain, changed.json.revision)).status], [412, 200]);
      const half = await put({ rebalance: "off" }, "*");
      assert.deepEqual([half.status, half.json.field], [400, "minRuntime"], half.text);
      const long = await put({ ...plain, grace: "999999999w" }, "*");
      assert.deepEqual([long.status, long.json.field], [422, "grace"], long.text);
    } finally {
      await t.server.close();
    }
  });
});

describe("audit", () => {
  it("[S24] has a record of every mutation, with who and under which request", async () => {
    const t = await restartable();
    try {
      const call = (method: string, path: string, body?: object) => t.server.call(t.owner.token, method, path, body);
      const user = await call("POST", "/v1/users", { name: "eve", role: "member", account: "lab" });
      const job = await call("POST", "/v1/jobs", { run: "x", project: "lab", not_before: "2100-01-01T00:00:00Z" });
      const token = await call("POST", "/v1/tokens", { label: "t" });
      const steps: Record<string, Answer> = {
        "user.create": user,
        "job.submit": job,
        "token.create": token,
        "account.create": await call("POST", "/v1/accounts", { path: "lab/x" }),
        "account.edit": await call("PATCH", "/v1/accounts/lab%2Fx", { weight: 3 }),
        "account.delete": await call("DELETE", "/v1/accounts/lab%2Fx"),
        "job.hold": await call("POST", `/v1/jobs/${job.json.id}/hold`),
        "job.release": await call("POST", `/v1/jobs/${job.json.id}/release`),
        "job.cancel": await call("POST", `/v1/jobs/${job.json.id}/cancel`),
        "node.cordon": await call("POST", "/v1/nodes/n1/cordon", { reason: "fan" }),
        "node.up": await call("POST", "/v1/nodes/n1/up"),
        "node.drain": await call("POST", "/v1/nodes/n1/drain", { within: "1h" }),
        "node.down": await call("POST", "/v1/nodes/n1/down", {}),
        "policy.set": await call("PUT", "/v1/policy", {
          rebalance: "off",
          minRuntime: "10m",
          grace: "1m",
          backfill: true,
        }),
        "role.bind": await call("POST", "/v1/role-bindings", { user: "eve", role: "viewer", account: "lab" }),
        "role.unbind": await call("DELETE", `/v1/role-bindings/${encodeURIComponent(`${user.json.id}:viewer:lab`)}`),
        "secret.set": await call("PUT", "/v1/accounts/lab/secrets/S", { value: "hush-hush" }),
        "secret.delete": await call("DELETE", "/v1/accounts/lab/secrets/S"),
        "token.revoke": await call("DELETE", `/v1/tokens/${token.json.id}`),
        "password.set": await call("PUT", "/v1/users/eve/password", { password: "a long enough one" }),
        "user.disable": await call("POST", "/v1/users/eve/disable"),
        "user.enable": await call("POST", "/v1/users/eve/enable"),
        "user.erase": await call("DELETE", "/v1/users/eve"),
      };
      const { items } = (await call("GET", "/v1/audit?limit=1000")).json;
      for (const [action, answer] of Object.entries(steps)) {
        assert.ok(answer.status < 300, `${action}: ${answer.text}`);
        const entry = items.find(
          (each: { requestId: string }) => each.requestId === answer.headers.get("x-request-id"),
        );
        assert.equal(entry?.action, action);
        assert.deepEqual([entry.actor, entry.actorName, entry.token], [t.owner.id, "own", t.owner.tokenId]);
      }
      assert.doesNotMatch(JSON.stringify(items), /hush-hush|long enough/);
      const actions = async (query: string): Promise<string[]> =>
        (await call("GET", `/v1/audit?limit=1000&${query}`)).json.items.map((each: { action: string }) => each.action);
      assert.deepEqual(await actions(`target=${job.json.id}`), ["job.cancel", "job.release", "job.hold", "job.submit"]);
      assert.deepEqual(await actions("text=FAN"), ["node.cordon"]);
      assert.deepEqual(await actions("address=192.0.2.1"), []);
      assert.ok((await actions("address=127.0.0.1")).includes("node.cordon"));
      assert.ok(!(await actions("outcome=ok")).includes("session.fail"));
      assert.deepEqual(await actions("to=1d"), []);
      // A tenant finds its own records alone, however it asks.
      const rev = await call("POST", "/v1/users", { name: "rev", role: "auditor", account: "lab" });
      await call("POST", "/v1/accounts", { path: "other" });
      const { token: own } = (await call("POST", "/v1/tokens", { user: rev.json.id })).json;
      for (const query of ["text=other", "address=127.0.0.1", "target=other", "outcome=ok", "action=account.create"]) {
        const found = await t.server.call(own, "GET", `/v1/audit?limit=1000&${query}`);
        assert.equal(found.status, 200, found.text);
        for (const { account } of found.json.items) assert.match(account, /^lab(\/|$)/, query);
      }
      // Erased means erased: no name is left anywhere, and it can be taken again.
      assert.equal((await call("GET", `/v1/users/${user.json.id}`)).status, 404);
      assert.equal((await t.control.reader.privates("person")).has(user.json.id), false);
      assert.equal((await t.control.reader.privates("password")).has(user.json.id), false);
      assert.equal((await call("POST", "/v1/users", { name: "eve" })).status, 201);
    } finally {
      await t.server.close();
    }
  });
});
