import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, afterEach, beforeEach, describe, it } from "node:test";
import { setImmediate, setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { checkChain } from "../../journal/chain.ts";
import {
  auditOf,
  batchAfter,
  deviceOf,
  jobOf,
  nothingProjected,
  usageOf,
  versionBeforeJobKeys,
  withoutJobKeys,
} from "../../testing/batches.ts";
import { type CuttingProxy, startCuttingProxy } from "../../testing/cutting-proxy.ts";
import { startTestPostgres, type TestPostgres } from "../../testing/postgres.ts";
import { describeStore } from "../../testing/store-suite.ts";
import { sealEmpty } from "../backup/unpack.ts";
import { CommitOutage, type Store, StoreDamaged } from "../port.ts";
import type { StoreKey } from "../seal/keys.ts";
import { openFrozenPostgresReader, openPostgresReader, openPostgresStore } from "./store.ts";

// Long enough for a busy machine to renew in time, so that a lease is lost only where a test wants it.
const leaseMs = 20_000;

const server = await startTestPostgres();
after(() => server?.stop());
if (server === undefined) it("passes the store suite on PostgreSQL", { skip: "no PostgreSQL here" }, () => {});
else {
  describePostgresStore(server);
  describeLease(server);
  describeCommits(server);
  describeHeadFile(server);
}

async function runIn(url: string, statement: string): Promise<pg.QueryResult> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return await client.query(statement);
  } finally {
    await client.end();
  }
}

const expireLease = (url: string) => runIn(url, "UPDATE tessera.beat SET expires_at = 'epoch'");

function describePostgresStore(server: TestPostgres): void {
  describeStore("postgres", () => placeIn(server, []));
  const key = { id: "00000000000000a1", key: Buffer.alloc(32, 1).toString("base64") };
  describeStore("sealed postgres", async () => {
    const place = await placeIn(server, [key]);
    await sealEmpty(place.config, key.id, place.config);
    return place;
  });
  it("shows nothing that a tenant wrote in any table of a sealed database", async () => {
    const { config, open } = await placeIn(server, [key]);
    await sealEmpty(config, key.id, config);
    const store = await open();
    const account = "canary-org/canary-team";
    const projected = {
      jobs: [jobOf({ account, name: "canary-name", doc: "canary-doc" })],
      audit: [auditOf({ account, target: "canary-target", detail: "canary-detail" })],
      usage: [usageOf({ account })],
    };
    const privates = [{ kind: "secret", key: "acc_1/canary-key", value: Buffer.from("canary-value") }];
    await store.append(batchAfter(await store.head(), { events: [`{"run":"canary-run"}`], projected, privates }));
    await store.writeSnapshot({ seq: 1, schema: 1, hash: Buffer.alloc(32), bytes: Buffer.from("canary-state") });
    assert.equal((await store.jobs({ accounts: ["canary-org"], name: "canary-name", limit: 9 }))[0]?.doc, "canary-doc");
    await store.close();
    const { rows: tables } = await runIn(
      config.url,
      "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'tessera'",
    );
    assert.ok(tables.length > 10);
    for (const { name } of tables) {
      const { rows } = await runIn(config.url, `SELECT * FROM tessera.${name}`);
      const shown = JSON.stringify(rows, (_, value) =>
        value?.type === "Buffer" ? Buffer.from(value.data).toString("latin1") : value,
      );
      assert.ok(!shown.includes("canary"), `${name}: ${shown.slice(0, 300)}`);
    }
  });
}

async function placeIn({ freshDatabase }: TestPostgres, keys: readonly StoreKey[]) {
  const url = await freshDatabase();
  const config = { url, leaseMs, waitMs: 300, keys };
  return {
    config,
    open: () => openPostgresStore(config, config),
    read: () => openPostgresReader(url, keys),
    freeze: () => openFrozenPostgresReader(url, keys),
    async tamper(statement: string) {
      await runIn(url, `SET search_path = tessera; ${statement}`);
    },
    async passTime() {
      await expireLease(url);
    },
    async makeNewer() {
      await runIn(url, "UPDATE tessera.schema_version SET version = 999");
    },
    async makeOlder() {
      const version = `UPDATE tessera.schema_version SET version = ${versionBeforeJobKeys}`;
      await runIn(url, `${withoutJobKeys("tessera.")}; ${version}`);
    },
    remove: async () => {},
  };
}

function describeLease({ freshDatabase }: TestPostgres): void {
  describe("the lease on a PostgreSQL store", () => {
    let url: string;
    const opened: Store[] = [];
    const open = async (terms: { leaseMs: number; waitMs: number }) => {
      const store = await openPostgresStore({ url, ...terms });
      opened.push(store);
      return store;
    };
    beforeEach(async () => {
      url = await freshDatabase();
    });
    afterEach(async () => {
      for (const store of opened.splice(0)) await store.close();
    });

    it("[S18] lets a holder that has been succeeded write nothing any more", async () => {
      const old = await open({ leaseMs, waitMs: 0 });
      await old.append(batchAfter(await old.head(), { projected: { devices: [deviceOf()] } }));
      const reasons: string[] = [];
      old.onLost((reason) => reasons.push(reason));
      await expireLease(url);
      const next = await open({ leaseMs, waitMs: 0 });
      const refused = (error: unknown) => error instanceof CommitOutage && error.known;
      await assert.rejects(old.append(batchAfter(await next.head(), { op: "op_late" })), refused);
      assert.deepEqual(reasons, ["another server has taken it over"]);
      assert.equal(await next.findOperation("op_late"), undefined);
      await next.append(batchAfter(await next.head()));
      assert.equal((await next.head()).seq, 2);
    });

    it("[S18] guards every kind of write by the fence, not only batches", async () => {
      const late: ((store: Store) => Promise<void>)[] = [
        (store) => store.writePrivates([{ kind: "person", key: "late", value: Buffer.from("1") }]),
        (store) => store.writeSnapshot({ seq: 9, schema: 1, hash: Buffer.alloc(32), bytes: Buffer.alloc(9) }),
        (store) =>
          store.replaceProjections(
            (async function* () {
              yield { ...nothingProjected, jobs: [jobOf({ id: "job_late" })] };
            })(),
          ),
      ];
      for (const write of late) {
        const old = await open({ leaseMs, waitMs: 0 });
        if ((await old.head()).seq === 0)
          await old.append(batchAfter(await old.head(), { projected: { jobs: [jobOf()] } }));
        await expireLease(url);
        const next = await open({ leaseMs, waitMs: 0 });
        await assert.rejects(write(old), CommitOutage);
        assert.equal((await next.privates("person")).size, 0);
        assert.equal(await next.latestSnapshot(), undefined);
        assert.deepEqual(await next.jobs({ accounts: [], limit: 9 }), [jobOf()]);
        await next.close();
      }
    });

    it("[S18] refuses what a process sends that stood still past the end of its lease", async () => {
      const program = fileURLToPath(new URL("../../testing/appender.js", import.meta.url));
      const config = JSON.stringify({ url, leaseMs: 2_000, waitMs: 0 });
      const child = spawn(process.execPath, [program, config], { stdio: ["ignore", "pipe", "pipe"] });
      const gone = once(child, "exit");
      let complaint = "";
      child.stderr.on("data", (text) => {
        complaint += text;
      });
      let acknowledged = 0;
      const lines = createInterface(child.stdout);
      await once(lines, "line");
      lines.on("line", (line) => {
        acknowledged = Number(line);
      });
      try {
        child.kill("SIGSTOP");
        const next = await open({ leaseMs, waitMs: 60_000 });
        const taken = await next.head();
        await next.append(batchAfter(taken, { op: "op_next" }));
        child.kill("SIGCONT");
        const [code] = await gone;
        assert.notEqual(code, 0);
        assert.match(complaint, /CommitOutage|lease/);
        assert.ok(acknowledged <= taken.seq);
        assert.equal((await next.head()).seq, taken.seq + 1);
        assert.equal(await next.findOperation("op_next"), taken.seq + 1);
        assert.equal((await checkChain(next)).sound, true);
      } finally {
        child.kill("SIGKILL");
      }
    });

    it("is renewed for as long as its holder lives", async () => {
      const endsAt = async () => (await runIn(url, "SELECT expires_at FROM tessera.beat")).rows[0].expires_at.getTime();
      await open({ leaseMs: 3_000, waitMs: 0 });
      const first = await endsAt();
      while ((await endsAt()) === first) await setTimeout(50);
      assert.ok((await endsAt()) > first);
    });

    it("[L4] passes at once to the next one when it is resigned", async () => {
      const first = await open({ leaseMs: 3_600_000, waitMs: 0 });
      await first.close();
      const fences = async () => Number((await runIn(url, "SELECT fence FROM tessera.fence")).rows[0].fence);
      assert.equal(await fences(), 1);
      await open({ leaseMs, waitMs: 0 });
      assert.equal(await fences(), 2);
    });

    it("[S19] makes a write wait for a take-over that is under way, and refuses it then", async () => {
      const old = await open({ leaseMs, waitMs: 0 });
      const taking = new pg.Client(url);
      await taking.connect();
      await taking.query("BEGIN; UPDATE tessera.fence SET holder = 'next', fence = fence + 1");
      const late = old.append(batchAfter(await old.head()));
      let ended = false;
      const end = () => {
        ended = true;
      };
      late.then(end, end);
      const waiting =
        "SELECT FROM pg_stat_activity WHERE application_name = 'tessera writer' AND wait_event_type = 'Lock'";
      while (!ended && (await runIn(url, waiting)).rows.length === 0) await setTimeout(20);
      await taking.query("COMMIT");
      await taking.end();
      await assert.rejects(late, (error) => error instanceof CommitOutage && error.known);
      const reader = await openPostgresReader(url);
      assert.equal((await reader.head()).seq, 0);
      await reader.close();
    });

    it("[S19] is taken over only after a write that is under way has ended", async () => {
      const old = await open({ leaseMs, waitMs: 0 });
      const writing = new pg.Client(url);
      await writing.connect();
      await writing.query("BEGIN");
      await writing.query("SELECT FROM tessera.fence FOR SHARE");
      await expireLease(url);
      let taken = false;
      const next = open({ leaseMs, waitMs: 60_000 }).then((store) => {
        taken = true;
        return store;
      });
      const waiting =
        "SELECT 1 FROM pg_stat_activity WHERE application_name = 'tessera lease' AND wait_event_type = 'Lock'";
      while ((await runIn(url, waiting)).rows.length === 0) await setTimeout(20);
      assert.equal(taken, false);
      await writing.query("COMMIT");
      await writing.end();
      await next;
      await assert.rejects(old.append(batchAfter(await old.head())), CommitOutage);
    });
  });
}

function describeHeadFile({ freshDatabase }: TestPostgres): void {
  describe("the head file of a PostgreSQL store", () => {
    let dir: string;
    let config: { url: string; leaseMs: number; waitMs: number; headFile: string };
    beforeEach(async () => {
      dir = mkdtempSync(join(tmpdir(), "tessera-head-"));
      config = { url: await freshDatabase(), leaseMs, waitMs: 0, headFile: join(dir, "postgres.head") };
    });
    afterEach(() => rmSync(dir, { recursive: true, force: true }));
    async function append(rows: number, on: Parameters<typeof openPostgresStore>[0] = config): Promise<void> {
      const store = await openPostgresStore(on);
      for (let i = 0; i < rows; i++) await store.append(batchAfter(await store.head()));
      await store.close();
    }

    it("refuses a database that lost rows, and opens it for somebody who goes on without them", async () => {
      await append(5);
      await runIn(
        config.url,
        `ALTER TABLE tessera.journal DISABLE TRIGGER USER;
         DELETE FROM tessera.journal WHERE seq > 3; ALTER TABLE tessera.journal ENABLE TRIGGER USER`,
      );
      await assert.rejects(openPostgresStore(config), (error: Error) => {
        assert.ok(error instanceof StoreDamaged);
        assert.match(error.message, /has lost rows 4 to 5: it ends at row 3 .* but row 5 .*accept-loss/);
        return true;
      });
      const store = await openPostgresStore(config, { acceptLoss: true });
      await store.append(batchAfter(await store.head()));
      await store.close();
      await append(1);
    });

    it("may lag behind a database to which a server of another machine wrote", async () => {
      await append(2);
      await append(3, { ...config, headFile: join(dir, "other-machine.head") });
      await append(1);
      assert.match(readFileSync(config.headFile, "utf8"), /row 6, /);
    });
  });
}

function describeCommits({ freshDatabase }: TestPostgres): void {
  describe("[F3] a commit to PostgreSQL whose answer is lost", () => {
    let proxy: CuttingProxy;
    let store: Store;
    beforeEach(async () => {
      const url = new URL(await freshDatabase());
      proxy = await startCuttingProxy(url.hostname, Number(url.port || 5432));
      url.host = `127.0.0.1:${proxy.port}`;
      store = await openPostgresStore({ url: url.href, leaseMs, waitMs: 0 });
      await store.append(batchAfter(await store.head()));
    });
    afterEach(async () => {
      await store.close();
      await proxy.close();
    });
    const unknown = (error: unknown) => error instanceof CommitOutage && !error.known;

    it("is unknown, and found by its operation id when it took place", async () => {
      const batch = batchAfter(await store.head(), { op: "op_lost_answer" });
      proxy.cut("tessera writer", "before-answer");
      await assert.rejects(store.append(batch), unknown);
      let seq = await store.findOperation("op_lost_answer");
      while (seq === undefined) seq = await store.findOperation("op_lost_answer"); // the server may still be at it
      assert.equal(seq, 2);
      assert.equal((await store.head()).seq, 2);
    });

    it("is unknown, and not found when it did not take place", async () => {
      const batch = batchAfter(await store.head(), { op: "op_lost_request" });
      proxy.cut("tessera writer", "before-request");
      await assert.rejects(store.append(batch), unknown);
      assert.equal(await store.findOperation("op_lost_request"), undefined);
      assert.equal((await store.head()).seq, 1);
    });

    it("stops the writer: nothing is written after it", async () => {
      proxy.cut("tessera writer", "before-request");
      const batch = batchAfter(await store.head());
      await assert.rejects(store.append(batch), unknown);
      proxy.cut("", "now");
      await assert.rejects(store.append(batch), (error) => error instanceof CommitOutage && error.known);
    });

    it("does not stop the writer when the connection broke while nothing was under way", async () => {
      proxy.cut("tessera writer", "now");
      proxy.cut("tessera lease", "now");
      // Long enough for the broken connection to be noticed, and one turn of the loop in which that is sure to happen.
      await setTimeout(100);
      await setImmediate();
      await setImmediate();
      await store.append(batchAfter(await store.head()));
      assert.equal((await store.head()).seq, 2);
    });
  });
}
