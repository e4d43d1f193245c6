import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { checkChain } from "../journal/chain.ts";
import type { JournalRow } from "../journal/format.ts";
import { emptyJournal, headOf, placeAfter, sealRow } from "../journal/row.ts";
import type { StoreConfig } from "../store/index.ts";
import { comparePlaces, keyOf } from "../store/job-keys.ts";
import {
  CommitOutage,
  type EndedJobRow,
  type JobKey,
  type JobQuery,
  type JobWalk,
  jobKeys,
  type Projected,
  type Store,
  StoreHeld,
  type StoreReader,
  snapshotsKept,
} from "../store/port.ts";
import {
  auditOf,
  batchAfter,
  bookOf,
  deviceOf,
  jobOf,
  noon,
  nothingProjected,
  type SampleBatch,
  usageOf,
} from "./batches.ts";

/** A place for one store, new and empty for each test. */
export interface StorePlace {
  open(): Promise<Store>;
  /** A connection for questions beside the writer. */
  read?(): Promise<StoreReader>;
  /** A connection that sees one moment. */
  freeze?(): Promise<StoreReader>;
  /** How another process would open the same store. */
  readonly config?: StoreConfig;
  /** Runs one statement as somebody would who has full access to the database. */
  tamper?(statement: string): Promise<void>;
  /** Lets a lock that a killed process has left behind run out at once. */
  passTime?(): Promise<void>;
  /** Makes the store look as if a later version had written it. */
  makeNewer?(): Promise<void>;
  /** Makes the store as the version left it that did not keep apart what jobs are sorted by. */
  makeOlder?(): Promise<void>;
  remove(): Promise<void>;
}

/** The promises of the Store port. Every store passes this suite. */
export function describeStore(name: string, makePlace: () => Promise<StorePlace>): void {
  describe(`store: ${name}`, () => {
    let place: StorePlace;
    let store: Store;
    beforeEach(async () => {
      place = await makePlace();
      store = await place.open();
    });
    afterEach(async () => {
      await store.close();
      await place.remove();
    });

    async function reopen(): Promise<void> {
      await store.close();
      store = await place.open();
    }
    async function append(sample: SampleBatch = {}): Promise<JournalRow> {
      const head = await store.head();
      const batch = batchAfter(head, sample);
      await store.append(batch);
      return sealRow(batch.row, head);
    }
    const project = (projected: Partial<Projected>) => append({ projected });

    describe("the journal", () => {
      it("begins empty", async () => {
        assert.deepEqual(shown(await store.head()), shown(emptyJournal));
        assert.deepEqual(await store.rows(1, 10), []);
        assert.equal(await store.latestSnapshot(), undefined);
        assert.equal(await store.findOperation("op_1"), undefined);
      });

      it("[S12] gives each row back byte for byte, also after it was closed and opened again", async () => {
        const rows = [await append(), await append({ events: [] }), await append({ at: 2 ** 52 })];
        await reopen();
        assert.deepEqual(shown(await store.rows(1, 10)), shown(rows));
        assert.deepEqual(shown(await store.head()), shown(headOf(rows[2]!)));
      });

      it("is read in pages, from any row", async () => {
        for (let i = 0; i < 5; i++) await append();
        assert.deepEqual(
          (await store.rows(2, 2)).map((row) => row.seq),
          [2, 3],
        );
        assert.deepEqual(
          (await store.rows(4, 10)).map((row) => row.seq),
          [4, 5],
        );
        assert.deepEqual(await store.rows(6, 10), []);
      });

      it("shows the events of rows as text, for a replay", async () => {
        const rows = [await append(), await append({ events: [] }), await append()];
        const lines = rows.map(({ seq, at, eventCount, events }) => ({
          seq,
          at,
          eventCount,
          lines: Buffer.from(events).toString("utf8"),
        }));
        assert.deepEqual(shown(await store.eventLines(1, 10)), shown(lines));
        assert.deepEqual(shown(await store.eventLines(2, 1)), shown(lines.slice(1, 2)));
      });

      it("[S12] takes only the row after the last one", async () => {
        const first = headOf(await append());
        const second = batchAfter(first);
        const third = batchAfter(placeAfter(second.row));
        const miscounted = batchAfter({ ...first, events: 7 });
        for (const wrong of [third, batchAfter(emptyJournal), miscounted]) {
          await assert.rejects(store.append({ ...wrong, row: { ...wrong.row, op: "op_other" } }), isOutage(true));
        }
        assert.equal((await store.head()).seq, 1);
        await store.append(second);
        assert.equal((await store.head()).seq, 2);
      });

      it("[S16] takes each operation once and finds it again by its id", async () => {
        await append({ op: "op_a" });
        await append({ op: "op_b" });
        await assert.rejects(append({ op: "op_a" }), isOutage(true));
        assert.equal(await store.findOperation("op_b"), 2);
        assert.equal(await store.findOperation("op_c"), undefined);
      });

      it("[S24] keeps all of a batch or nothing of it", async () => {
        await append({ projected: { jobs: [jobOf({ id: "job_1" })] }, privates: [privateOf("ada", "1")] });
        const torn: SampleBatch = {
          op: "op_torn",
          projected: {
            jobs: [jobOf({ id: "job_2" }), jobOf({ id: "job_1" })],
            usage: [usageOf()],
            devices: [deviceOf()],
            audit: [auditOf({ seq: 2 })],
          },
          privates: [privateOf("ada", "2")],
        };
        await assert.rejects(append(torn), isOutage(true));
        assert.equal((await store.head()).seq, 1);
        assert.equal(await store.findOperation("op_torn"), undefined);
        assert.equal(await store.job("job_2"), undefined);
        assert.deepEqual(await store.usage([], 0, 2 ** 52), []);
        assert.deepEqual(await store.devices(2 ** 52, 2 ** 52), []);
        assert.deepEqual(await store.audit({ accounts: [], limit: 10 }), []);
        assert.deepEqual(shown(await store.privates("person")), { ada: "31" });
        await append({ op: "op_after" });
        assert.equal((await store.head()).seq, 2);
      });

      it("[S27] refuses usage that ends before it begins", async () => {
        await assert.rejects(project({ usage: [usageOf({ fromAt: noon, toAt: noon - 1 })] }), isOutage(true));
      });

      it("[S19] has one holder at a time; the second is told what to do", async () => {
        await assert.rejects(place.open(), (error: Error) => {
          assert.ok(error instanceof StoreHeld);
          assert.match(error.message, /held by/);
          assert.match(error.message, /[Ss]top|[Cc]lose/);
          return true;
        });
        await append();
      });

      it("writes what is appended at the same time one after the other", async () => {
        const first = batchAfter(emptyJournal);
        const second = batchAfter(placeAfter(first.row));
        const third = batchAfter(placeAfter(second.row));
        await Promise.all([store.append(first), store.append(second), store.append(third)]);
        assert.deepEqual(await checkChain(store), { sound: true, head: await store.head() });
      });
    });

    describe("snapshots", () => {
      it("gives the latest back byte for byte, also a large one", async () => {
        const snapshotOf = (seq: number, length: number) => ({
          seq,
          schema: 3,
          hash: Buffer.alloc(32, seq),
          bytes: Buffer.alloc(length, `snapshot ${seq};`),
        });
        await store.writeSnapshot(snapshotOf(1, 10));
        await store.writeSnapshot(snapshotOf(2, 20_000_001));
        await store.writeSnapshot(snapshotOf(2, 20_000_000));
        await reopen();
        const latest = (await store.latestSnapshot())!;
        assert.deepEqual([latest.seq, latest.schema, latest.bytes.length], [2, 3, 20_000_000]);
        assert.equal(Buffer.compare(latest.bytes, snapshotOf(2, 20_000_000).bytes), 0);
        assert.deepEqual(shown(latest.hash), shown(Buffer.alloc(32, 2)));
      });

      it("keeps the newest of them, which past moments are made from", async () => {
        const bytes = (seq: number) => Buffer.from(`snapshot ${seq}`);
        for (let seq = 1; seq <= snapshotsKept + 2; seq++)
          await store.writeSnapshot({ seq, schema: 3, hash: Buffer.alloc(32, seq), bytes: bytes(seq) });
        await reopen();
        const kept = await store.snapshots();
        assert.deepEqual(
          kept.map(({ seq }) => seq),
          Array.from({ length: snapshotsKept }, (_, i) => snapshotsKept + 2 - i),
        );
        assert.deepEqual(shown((await store.snapshot(3))!.bytes), shown(bytes(3)));
        assert.equal(await store.snapshot(2), undefined);
      });

      it("can be empty", async () => {
        await store.writeSnapshot({ seq: 0, schema: 1, hash: Buffer.alloc(32), bytes: new Uint8Array() });
        assert.equal((await store.latestSnapshot())?.bytes.length, 0);
      });
    });

    describe("ended jobs", () => {
      const all: JobQuery = { accounts: [], limit: 100 };
      const idsOf = async (query: Partial<JobQuery>) => (await store.jobs({ ...all, ...query })).map((job) => job.id);

      it("come back as they were written", async () => {
        const jobs = [
          jobOf({ id: "job_1", arrayId: "arr_1", exitCode: null, outcome: "cancelled", doc: `{"n":"größe 🙂"}` }),
          jobOf({ id: "job_2", submittedAt: noon - 1, exitCode: 7 }),
        ];
        await project({ jobs });
        assert.deepEqual(await store.jobs(all), jobs);
        assert.deepEqual(await store.job("job_1"), jobs[0]);
        assert.equal(await store.job("job_3"), undefined);
      });

      it("are found under an account, not under one whose name only begins alike", async () => {
        const accounts = ["a", "a/b", "a/b/c", "ab", "ab/c", "a-b/c", "a.b", "A", "a0", "d/a"];
        await project({
          jobs: accounts.map((account, i) => jobOf({ id: `job_${i}`, account, submittedAt: noon - i })),
        });
        const found = async (...asked: string[]) =>
          (await store.jobs({ ...all, accounts: asked })).map((job) => job.account);
        assert.deepEqual(await found("a"), ["a", "a/b", "a/b/c"]);
        assert.deepEqual(await found("a/b"), ["a/b", "a/b/c"]);
        assert.deepEqual(await found("ab"), ["ab", "ab/c"]);
        assert.deepEqual(await found("d", "a/b/c", "a/b"), ["a/b", "a/b/c", "d/a"]);
        assert.deepEqual(await found("%", "_", "a%", "x"), []);
        assert.deepEqual(await found("a", "a"), ["a", "a/b", "a/b/c"]);
      });

      it("are filtered by user, name, array and outcome, alone, together and under accounts", async () => {
        const jobs = [
          jobOf({
            id: "j1",
            user: "ada",
            name: "train",
            account: "v/x",
            arrayId: "arr",
            outcome: "failed",
            submittedAt: 5,
          }),
          jobOf({ id: "j2", user: "ada", name: "eval", account: "v/y", arrayId: "arr", submittedAt: 4 }),
          jobOf({ id: "j3", user: "bob", name: "train", account: "v/y", arrayId: null, submittedAt: 3 }),
          jobOf({
            id: "j4",
            user: "bob",
            name: "eval",
            account: "w",
            arrayId: null,
            outcome: "failed",
            submittedAt: 2,
          }),
          jobOf({ id: "j5", user: "ada", name: "train", account: "w/z", arrayId: null, submittedAt: 1 }),
        ];
        await project({ jobs });
        const fields = {
          user: [undefined, "ada", "bob", "eve"],
          name: [undefined, "train", "eval"],
          arrayId: [undefined, "arr"],
          outcome: [undefined, "failed"],
        };
        let compared = 0;
        for (const accounts of [[], ["v"], ["v/y"], ["w", "v/x"], ["x"]])
          for (const user of fields.user)
            for (const name of fields.name)
              for (const arrayId of fields.arrayId)
                for (const outcome of fields.outcome) {
                  const asked = Object.entries({ user, name, arrayId, outcome }).filter(
                    ([, value]) => value !== undefined,
                  );
                  const expected = jobs.filter(
                    (job) =>
                      asked.every(([field, value]) => job[field as "user"] === value) &&
                      (accounts.length === 0 ||
                        accounts.some((root) => job.account === root || job.account.startsWith(`${root}/`))),
                  );
                  assert.deepEqual(
                    await idsOf({ accounts, ...Object.fromEntries(asked) }),
                    expected.map((job) => job.id),
                  );
                  const query = { ...all, accounts, ...Object.fromEntries(asked) };
                  assert.equal(await store.countJobs(query), expected.length);
                  compared++;
                }
        assert.equal(compared, 240);
        for (const accounts of [[], ["v"]])
          assert.deepEqual(await idsOf({ accounts, arrayId: "arr", outcome: { not: ["succeeded"] } }), ["j1"]);
        assert.deepEqual(await idsOf({ accounts: ["v"], tops: true }), ["j3"]);
        const madeAt = new Map([
          ["v", 4],
          ["w", 0],
        ]);
        assert.deepEqual(await idsOf({ accounts: ["v", "w"], madeAt }), ["j1", "j2", "j4", "j5"]);
        assert.deepEqual(await idsOf({ accounts: ["v"], name: "train", madeAt }), ["j1"]);
        assert.equal(await store.countJobs({ accounts: [], limit: 2 }), 2);
      });

      it("are paged newest first by cursor, with ties by id, each exactly once", async () => {
        const jobs = Array.from({ length: 23 }, (_, i) =>
          jobOf({ id: `job_${String(i).padStart(2, "0")}`, account: i % 2 ? "a/x" : "b", submittedAt: noon + (i % 4) }),
        );
        await project({ jobs });
        const expected = jobs
          .toSorted((a, b) => b.submittedAt - a.submittedAt || (a.id < b.id ? 1 : -1))
          .map((job) => job.id);
        for (const accounts of [[], ["a", "b"]]) {
          const seen: string[] = [];
          for (let after: JobQuery["after"]; ; ) {
            const page = await store.jobs({ accounts, limit: 5, ...(after && { after }) });
            seen.push(...page.map((job) => job.id));
            if (page.length < 5) break;
            after = page.at(-1)!;
          }
          assert.deepEqual(seen, expected);
        }
      });
    });

    describe("ended jobs in an order", () => {
      /** Many share a key; some are elements of an array, of another account, or never started. */
      const jobs = Array.from({ length: 60 }, (_, i) =>
        jobOf({
          id: `job_${String((i * 37) % 60).padStart(2, "0")}`,
          name: ["b", "a", "c-10", "c-9"][i % 4]!,
          account: ["v", "v/x", "w"][i % 3]!,
          user: ["ada", "bob"][i % 2]!,
          arrayId: i % 10 === 9 ? "arr" : null,
          outcome: ["succeeded", "failed", "cancelled"][i % 3]!,
          submittedAt: noon + (i % 7),
          gpus: [1, 8, 64][i % 3]!,
          priority: [0, -5, 10][i % 3]!,
          startedAt: i % 5 === 0 ? null : noon + 10 + (i % 4),
          ranUntil: noon + 1_000 + (i % 6),
        }),
      );
      const tops = jobs.filter(({ arrayId }) => arrayId === null);
      const inOrder = (key: JobKey, down: boolean, some = tops) =>
        some
          .map((row) => ({ key: keyOf(row, key), submittedAt: row.submittedAt, id: row.id }))
          .sort((a, b) => (down ? -1 : 1) * comparePlaces(a, b));
      const walked = async (walk: Omit<JobWalk, "limit" | "stepsMax" | "accounts"> & Partial<JobWalk>) => {
        const found: string[] = [];
        for (let after = walk.after, rounds = 0; rounds < 200; rounds++) {
          const page = await store.walkJobs({ accounts: [], limit: 7, stepsMax: 11, ...walk, ...(after && { after }) });
          assert.ok(page.steps <= 11, "no page walks further");
          found.push(...page.rows.map(({ id }) => id));
          const last = page.rows.at(-1);
          const key = "key" in walk.along ? walk.along.key : undefined;
          const place = last && { ...(key && { key: keyOf(last, key) }), submittedAt: last.submittedAt, id: last.id };
          if (page.upTo === undefined && page.rows.length < 7) return found;
          after = page.upTo ?? place!;
        }
        throw new Error("the walk does not end");
      };
      beforeEach(() => project({ jobs }));

      it("are walked through along each key, both ways, each job once", async () => {
        for (const key of jobKeys.filter((each) => store.hasOrder(each)))
          for (const down of [false, true]) {
            const expected = inOrder(key, down).map(({ id }) => id);
            assert.deepEqual(await walked({ along: { key }, down }), expected, `${key} ${down}`);
          }
      });

      it("are filtered on the way, in steps that are bounded", async () => {
        const filters = [
          { is: (job: EndedJobRow) => job.account.startsWith("v"), ask: { accounts: ["v"] } },
          { is: (job: EndedJobRow) => job.user === "bob" && job.name === "a", ask: { user: "bob", name: "a" } },
          { is: (job: EndedJobRow) => job.outcome === "failed", ask: { outcome: "failed" } },
          { is: (job: EndedJobRow) => job.outcome !== "failed", ask: { outcome: { not: ["failed"] } } },
          { is: () => false, ask: { user: "eve" } },
        ];
        for (const { is, ask } of filters) {
          const expected = inOrder("gpus", true, tops.filter(is)).map(({ id }) => id);
          assert.deepEqual(await walked({ along: { key: "gpus" }, down: true, ...ask }), expected, JSON.stringify(ask));
        }
        const madeAt = new Map([["v", noon + 3]]);
        const since = tops.filter(({ account, submittedAt }) => account.startsWith("v") && submittedAt >= noon + 3);
        assert.deepEqual(
          await walked({ along: { key: "since" }, down: false, accounts: ["v"], madeAt }),
          inOrder("since", false, since).map(({ id }) => id),
        );
      });

      it("are found by user and by account, one group after the other", async () => {
        assert.deepEqual([...(await store.jobGroups("user"))].sort(), ["ada", "bob"]);
        assert.deepEqual([...(await store.jobGroups("account"))].sort(), ["v", "v/x", "w"]);
        for (const [group, of] of [
          ["user", "ada"],
          ["account", "v"],
        ] as const) {
          const expected = tops
            .filter((row) => row[group] === of)
            .sort((a, b) => a.submittedAt - b.submittedAt || (a.id < b.id ? -1 : 1));
          const ids = expected.map(({ id }) => id);
          assert.deepEqual(await walked({ along: { group, of }, down: false }), ids);
          assert.deepEqual(await walked({ along: { group, of }, down: true }), ids.toReversed());
          const failed = expected.filter(({ outcome }) => outcome === "failed").map(({ id }) => id);
          assert.deepEqual(await walked({ along: { group, of }, down: false, outcome: "failed" }), failed);
        }
      });

      it("have in it also jobs of an older version, which did not keep their keys apart", async (t) => {
        if (place.makeOlder === undefined) return t.skip("it has no older versions");
        const startedAt = noon + 1_234;
        const times = { startedAt: new Date(startedAt).toISOString(), endedAt: new Date(noon + 5_678).toISOString() };
        const doc = JSON.stringify({ id: "new", gpus: 8, priority: -3, ...times });
        const row = jobOf({ id: "new", arrayId: "arr", gpus: 8, priority: -3, startedAt, ranUntil: noon + 5_678, doc });
        const waited = jobOf({
          id: "waited",
          startedAt: null,
          doc: JSON.stringify({ endedAt: times.endedAt, gpus: 1 }),
        });
        await project({ jobs: [row, waited], books: [bookOf()] });
        const isSealed = !store.hasOrder("name");
        await store.close();
        await place.makeOlder();
        store = await place.open();
        // A sealed document tells the database nothing: without books, the next start makes the tables again.
        if (isSealed) return assert.deepEqual(await store.books({ kind: "entry" }), []);
        assert.deepEqual(await store.job("new"), row);
        assert.deepEqual(await store.job("waited"), { ...waited, ranUntil: noon + 5_678 });
        assert.equal((await store.books({ kind: "entry" })).length, 1);
        assert.deepEqual(await store.faults(), []);
      });

      it("are read without their documents, by their ids, and oldest first", async () => {
        const keys = await store.jobKeys({ accounts: ["w"], tops: true, limit: 100 });
        const expected = tops.filter(({ account }) => account === "w");
        const plain = ({ doc: _, ...rest }: EndedJobRow) => rest;
        const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
        assert.deepEqual(
          keys.map((row) => plain({ doc: "", ...row })).toSorted(byId),
          expected.map(plain).toSorted(byId),
        );
        const some = await store.jobsById(["job_03", "job_05", "job_99"]);
        assert.deepEqual(some.map(({ id }) => id).sort(), ["job_03", "job_05"]);
        assert.deepEqual(await store.jobsById([]), []);
        const oldest = await store.jobs({ accounts: ["v", "w"], tops: true, oldestFirst: true, limit: 3 });
        const first = tops.toSorted((a, b) => a.submittedAt - b.submittedAt || byId(a, b)).slice(0, 3);
        assert.deepEqual(oldest, first);
      });
    });

    describe("usage", () => {
      it("comes back as it was written", async () => {
        const usage = [usageOf({ units: 3_000, state: "starting" }), usageOf({ gpu: "GPU-2", account: "vision/ocr" })];
        await project({ usage });
        assert.deepEqual(byText(await store.usage([], noon, noon + 1)), byText(usage));
      });

      it("[S10] is found when it overlaps the range, whatever its length", async () => {
        const usage = [0, 1, 2, 3, 1_000, 86_400_000, 400 * 86_400_000].flatMap((length) =>
          [-86_400_000, -1_001, -1_000, -3, -2, -1, 0, 1, 999, 1_000, 1_001].map((offset, i) =>
            usageOf({ lease: `lease_${length}_${i}`, fromAt: noon + offset, toAt: noon + offset + length }),
          ),
        );
        await project({ usage });
        for (const [fromAt, toAt] of [
          [noon, noon + 1_000],
          [noon, noon + 1],
          [noon - 1, noon + 1],
          [noon + 86_400_000, noon + 2 * 86_400_000],
          [0, 2 ** 45],
          [noon - 10 * 86_400_000, noon - 5 * 86_400_000],
        ] as const) {
          const expected = usage.filter((row) => row.fromAt < toAt && row.toAt > fromAt);
          assert.deepEqual(byText(await store.usage([], fromAt, toAt)), byText(expected));
        }
      });

      it("is found under accounts", async () => {
        const accounts = ["a", "a/b", "ab/c", "a/b/c", "d"];
        await project({ usage: accounts.map((account) => usageOf({ account })) });
        const found = async (...asked: string[]) =>
          (await store.usage(asked, noon, noon + 1)).map((row) => row.account).sort();
        assert.deepEqual(await found("a"), ["a", "a/b", "a/b/c"]);
        assert.deepEqual(await found("a/b", "a/b/c", "d"), ["a/b", "a/b/c", "d"]);
        assert.deepEqual(await found("ab"), ["ab/c"]);
        assert.deepEqual(await found("x"), []);
      });
    });

    describe("devices", () => {
      it("show what held when the range began and each change inside it", async () => {
        const row = (gpu: string, at: number, seq: number, freeUnits: number) =>
          deviceOf({ gpu, at: noon + at, seq, freeUnits });
        const devices = [
          row("GPU-1", -20, 1, 1),
          row("GPU-1", -10, 2, 2),
          row("GPU-1", -10, 3, 3),
          row("GPU-1", 5, 4, 4),
          row("GPU-1", 5, 5, 5),
          row("GPU-1", 10, 6, 6),
          row("GPU-2", 0, 1, 7),
          row("GPU-3", 9, 1, 8),
          row("GPU-4", 10, 1, 9),
        ];
        await project({ devices: devices.toReversed() });
        const found = async (fromAt: number, toAt: number) =>
          (await store.devices(noon + fromAt, noon + toAt)).map((device) => device.freeUnits);
        assert.deepEqual(await found(0, 10), [3, 4, 5, 7, 8]);
        assert.deepEqual(await found(-15, -10), [1]);
        assert.deepEqual(await found(5, 6), [5, 7]);
        assert.deepEqual(await found(100, 200), [6, 7, 8, 9]);
        assert.deepEqual(await found(-100, -50), []);
        assert.deepEqual((await store.devices(noon - 15, noon - 14))[0], devices[0]);
      });

      it("keep the last of two rows for one instant and number", async () => {
        await project({ devices: [deviceOf({ freeUnits: 1 }), deviceOf({ freeUnits: 2 })] });
        await project({ devices: [deviceOf({ freeUnits: 3, mode: "drain" })] });
        assert.deepEqual(await store.devices(noon, noon + 1), [deviceOf({ freeUnits: 3, mode: "drain" })]);
      });
    });

    describe("the audit trail", () => {
      const entries = [
        auditOf({ seq: 1, index: 0, at: 10, actor: "ada", action: "account.create", account: "" }),
        auditOf({ seq: 1, index: 1, at: 10, actor: "ada", action: "job.submit", account: "a/b" }),
        auditOf({ seq: 2, index: 0, at: 20, actor: "bob", action: "job.submit", account: "ab", token: "tok_1" }),
        auditOf({ seq: 3, index: 0, at: 30, actor: "bob", action: "job.cancel", account: "a", outcome: "conflict" }),
        auditOf({ seq: 3, index: 1, at: 30, actor: "ada", action: "job.submit", account: "a/b/c", detail: `{"x":1}` }),
      ];

      it("[S24] comes back latest first, as it was written", async () => {
        await project({ audit: entries });
        assert.deepEqual(await store.audit({ accounts: [], limit: 10 }), entries.toReversed());
      });

      it("is filtered by account, actor, action and time", async () => {
        await project({ audit: entries });
        const found = async (query: object) =>
          (await store.audit({ accounts: [], limit: 10, ...query })).map(({ seq, index }) => `${seq}.${index}`);
        assert.deepEqual(await found({ accounts: ["a"] }), ["3.1", "3.0", "1.1"]);
        assert.deepEqual(await found({ accounts: [""] }), ["1.0"]);
        assert.deepEqual(await found({ accounts: ["a/b", "ab"] }), ["3.1", "2.0", "1.1"]);
        assert.deepEqual(await found({ actor: "ada" }), ["3.1", "1.1", "1.0"]);
        assert.deepEqual(await found({ actor: "ada", accounts: ["a/b"] }), ["3.1", "1.1"]);
        assert.deepEqual(await found({ action: "job.submit" }), ["3.1", "2.0", "1.1"]);
        assert.deepEqual(await found({ action: "job.submit", accounts: ["a"] }), ["3.1", "1.1"]);
        assert.deepEqual(await found({ fromAt: 20, toAt: 30 }), ["2.0"]);
        assert.deepEqual(await found({ fromAt: 20, accounts: ["a"], actor: "bob" }), ["3.0"]);
        assert.deepEqual(await found({ toAt: 30, accounts: ["a"] }), ["1.1"]);
      });

      it("is filtered by target, outcome and where it came from", async () => {
        const more = [
          auditOf({ seq: 4, index: 0, at: 40, account: "a", target: "usr_1", outcome: "refused", origin: "org_1" }),
          auditOf({
            seq: 5,
            index: 0,
            at: 50,
            account: "b",
            target: "usr_1",
            outcome: "failed",
            origin: "org_2",
            count: 7,
          }),
          auditOf({ seq: 6, index: 0, at: 60, account: "a", target: "usr_2", origin: "org_1" }),
        ];
        await project({ audit: [...entries, ...more] });
        const found = async (query: object) =>
          (await store.audit({ accounts: [], limit: 10, ...query })).map(({ seq, index }) => `${seq}.${index}`);
        assert.deepEqual(await found({ target: "usr_1" }), ["5.0", "4.0"]);
        assert.deepEqual(await found({ target: "usr_1", accounts: ["b"] }), ["5.0"]);
        assert.deepEqual(await found({ outcome: "refused" }), ["4.0"]);
        assert.deepEqual(await found({ outcome: "ok", accounts: ["a"] }), ["6.0", "3.1", "1.1"]);
        assert.deepEqual(await found({ origins: ["org_1"] }), ["6.0", "4.0"]);
        assert.deepEqual(await found({ origins: ["org_1", "org_2"], fromAt: 45 }), ["6.0", "5.0"]);
        assert.deepEqual(await found({ origins: ["org_1", "org_2"], limit: 2 }), ["6.0", "5.0"]);
        assert.deepEqual(await found({ origins: [] }), []);
        const done = { actions: ["account.create", "job.submit"], outcomes: ["ok", "changed"] };
        assert.deepEqual(await found(done), ["6.0", "3.1", "2.0", "1.1", "1.0"]);
        assert.deepEqual(await found({ ...done, limit: 2 }), ["6.0", "3.1"]);
        assert.deepEqual(await found({ ...done, notBy: ["ada"] }), ["6.0", "2.0"]);
        assert.deepEqual(await found({ ...done, accounts: ["a"], before: { seq: 3, index: 1 } }), ["1.1"]);
        assert.deepEqual(await found({ ...done, actor: "ada", fromAt: 20 }), ["3.1"]);
        assert.deepEqual(await found({ ...done, origins: ["org_1"] }), ["6.0"]);
        assert.deepEqual(await found({ actions: [] }), []);
        assert.equal(await store.countAudit({ ...done, accounts: [], limit: 100 }), 5);
        assert.equal(await store.countAudit({ ...done, accounts: [], notBy: ["ada"], limit: 100 }), 2);
        assert.deepEqual(await found({ fromAt: 100 }), []);
        assert.deepEqual(await found({ toAt: 10 }), []);
      });

      it("is found in any span of time, and read on from any place", async () => {
        const many = Array.from({ length: 60 }, (_, i) =>
          auditOf({ seq: 3 * i + 2, index: i % 2, at: 100 * (i >> 1) }),
        );
        await project({ audit: many });
        for (const [fromAt, toAt] of [
          [0, 1],
          [0, 5_000],
          [150, 950],
          [900, 901],
          [2_900, 9_999],
          [3_000, 9_999],
        ] as const) {
          const wanted = many.filter(({ at }) => at >= fromAt && at < toAt).toReversed();
          assert.deepEqual(await store.audit({ accounts: [], limit: 100, fromAt, toAt }), wanted);
          assert.deepEqual(await store.audit({ accounts: ["vision"], limit: 100, fromAt, toAt }), wanted);
        }
        assert.deepEqual(await store.auditAfter({ seq: 0, index: 0 }, 100), many);
        assert.deepEqual(await store.auditAfter(many[9]!, 3), many.slice(10, 13));
        assert.deepEqual(await store.auditAfter(many.at(-1)!, 3), []);
      });

      it("is paged by cursor", async () => {
        await project({ audit: entries });
        for (const accounts of [[], ["", "a", "ab"]]) {
          const first = await store.audit({ accounts, limit: 2 });
          const rest = await store.audit({ accounts, limit: 10, before: first.at(-1)! });
          assert.deepEqual([...first, ...rest], entries.toReversed());
        }
      });
    });

    describe("private rows", () => {
      it("are put, replaced, deleted and read by kind and key", async () => {
        await append({
          privates: [privateOf("ada", "1"), privateOf("bob", "2"), { ...privateOf("ada", "9"), kind: "secret" }],
        });
        assert.deepEqual(shown(await store.privates("person")), { ada: "31", bob: "32" });
        assert.deepEqual(shown(await store.privates("person", ["bob", "eve"])), { bob: "32" });
        assert.deepEqual(shown(await store.privates("person", [])), {});
        await append({ privates: [privateOf("ada", "3"), { kind: "person", key: "bob", value: null }] });
        assert.deepEqual(shown(await store.privates("person")), { ada: "33" });
        await store.writePrivates([privateOf("eve", "4"), { kind: "person", key: "ada", value: null }]);
        await reopen();
        assert.deepEqual(shown(await store.privates("person")), { eve: "34" });
        assert.deepEqual(shown(await store.privates("secret")), { ada: "39" });
      });

      it("take effect in the order in which they are given", async () => {
        await append({
          privates: [privateOf("ada", "1"), { kind: "person", key: "ada", value: null }, privateOf("ada", "2")],
        });
        await append({ privates: [privateOf("bob", "1"), { kind: "person", key: "bob", value: null }] });
        assert.deepEqual(shown(await store.privates("person")), { ada: "32" });
      });
    });

    describe("rebuilding", () => {
      async function* pagesOf(...pages: Partial<Projected>[]): AsyncGenerator<Projected> {
        for (const page of pages) yield { ...nothingProjected, ...page };
      }

      it("replaces all projections by the pages and leaves journal and private rows alone", async () => {
        await append({
          projected: { jobs: [jobOf()], usage: [usageOf()], devices: [deviceOf()], audit: [auditOf()] },
          privates: [privateOf("ada", "1")],
        });
        await store.replaceProjections(
          pagesOf(
            { jobs: [jobOf({ id: "job_a" })], devices: [deviceOf({ gpu: "GPU-9" })] },
            { jobs: [jobOf({ id: "job_b" })] },
          ),
        );
        await reopen();
        assert.deepEqual(
          (await store.jobs({ accounts: ["vision"], limit: 9 })).map((job) => job.id),
          ["job_b", "job_a"],
        );
        assert.deepEqual(await store.usage([], 0, 2 ** 50), []);
        assert.deepEqual(await store.devices(noon, noon), [deviceOf({ gpu: "GPU-9" })]);
        assert.deepEqual(await store.audit({ accounts: ["vision"], limit: 9 }), []);
        assert.equal((await store.head()).seq, 1);
        assert.deepEqual(shown(await store.privates("person")), { ada: "31" });
      });

      it("that fails half-way changes nothing", async () => {
        await project({ jobs: [jobOf()], audit: [auditOf()] });
        async function* broken(): AsyncGenerator<Projected> {
          yield { ...nothingProjected, jobs: [jobOf({ id: "job_new" })] };
          throw new Error("the journal could not be read");
        }
        await assert.rejects(store.replaceProjections(broken()), (error: Error) =>
          /could not be read/.test(`${error.message} ${(error.cause as Error | undefined)?.message}`),
        );
        assert.deepEqual(await store.jobs({ accounts: [], limit: 9 }), [jobOf()]);
        assert.deepEqual(await store.audit({ accounts: [], limit: 9 }), [auditOf()]);
        await append();
      });

      it("makes a batch that comes meanwhile wait, so that neither is torn", async () => {
        await project({ jobs: [jobOf()] });
        let goOn = () => {};
        const gate = new Promise<void>((resolve) => {
          goOn = resolve;
        });
        async function* slow(): AsyncGenerator<Projected> {
          yield { ...nothingProjected, jobs: [jobOf()] };
          await gate;
          yield { ...nothingProjected, jobs: [jobOf({ id: "job_2" })] };
        }
        const rebuilt = store.replaceProjections(slow());
        const appended = project({ jobs: [jobOf({ id: "job_3" })] });
        goOn();
        await Promise.all([rebuilt, appended]);
        assert.equal((await store.jobs({ accounts: [], limit: 9 })).length, 3);
        assert.equal((await store.head()).seq, 2);
      });
    });

    it("finds what has to do with money by time, by row of the journal, and page by page", async () => {
      const bookOf = (seq: number, index: number, change: object) => ({
        ...{ seq, index, kind: "usage", key: `lease_${seq}`, tenant: "lab", fromAt: noon, toAt: noon + 10, doc: "{}" },
        ...change,
      });
      const books = [
        bookOf(1, 0, { toAt: noon + 5 }),
        bookOf(2, 0, { fromAt: noon + 7, tenant: "ops" }),
        bookOf(2, 1, { kind: "entry", key: "1", toAt: noon }),
        bookOf(3, 0, { kind: "entry", key: "2", toAt: noon }),
        bookOf(3, 1, { kind: "entry", key: "3", tenant: "ops", toAt: noon + 1 }),
      ];
      await project({ books });
      const keys = (rows: readonly { readonly key: string }[]) => rows.map(({ key }) => key);
      assert.deepEqual(keys(await store.books({ kind: "usage", fromAt: noon + 6, toAt: noon + 8 })), ["lease_2"]);
      assert.deepEqual(keys(await store.books({ kind: "usage", toAt: noon + 7 })), ["lease_1"]);
      assert.deepEqual(keys(await store.books({ kind: "usage", after: { seq: 1, index: 9 } })), ["lease_2"]);
      const first = await store.bookPage({ kind: "entry", limit: 2 });
      assert.deepEqual(keys(first), ["3", "2"]);
      assert.deepEqual(keys(await store.bookPage({ kind: "entry", limit: 2, before: first[1]! })), ["1"]);
      assert.deepEqual(keys(await store.bookPage({ kind: "entry", tenants: ["lab", "x"], limit: 9 })), ["2", "1"]);
    });

    it("finds what was used in a time, however long each use is and wherever it begins", async () => {
      const hour = 3_600_000;
      const lengths = [0, 1, hour, hour + 1, 24 * hour, 24 * hour + 1, 168 * hour, 168 * hour + 1, 5_000 * hour];
      const begins = [0, 1, 23, 24, 25, 167, 168, 169, 1_000, 5_000, 5_001].map((hours) => noon + hours * hour);
      const spans = begins.flatMap((fromAt) => lengths.map((length) => ({ fromAt, toAt: fromAt + length })));
      const books = spans.map(({ fromAt, toAt }, index) => ({
        ...{ seq: 1, index, kind: "usage", key: `lease_${index}`, tenant: "lab", fromAt, toAt, doc: "{}" },
      }));
      await project({ books });
      for (const [from, to] of [
        ...[-1, 0, 1, 24, 170, 1_000, 4_999, 5_010].flatMap((start) =>
          [1, 24, 720].map((many) => [start, start + many]),
        ),
      ] as [number, number][]) {
        const [fromAt, toAt] = [noon + from * hour, noon + to * hour];
        const found = await store.books({ kind: "usage", fromAt, toAt });
        const wanted = books.filter((row) => row.toAt >= fromAt && row.fromAt < toAt);
        assert.deepEqual(
          found.map(({ index }) => index),
          wanted.map(({ index }) => index),
          `${from} to ${to}`,
        );
      }
    });

    it("shows all projections, in more pages than one", async () => {
      const many = {
        jobs: Array.from({ length: 2_001 }, (_, i) => jobOf({ id: `job_${i}` })),
        usage: Array.from({ length: 1_000 }, (_, i) => usageOf({ lease: `lease_${i % 2}` })),
        devices: Array.from({ length: 1_500 }, (_, i) => deviceOf({ gpu: `GPU-${i % 3}`, at: noon + (i % 7), seq: i })),
        audit: Array.from({ length: 1_001 }, (_, i) => auditOf({ seq: i % 11, index: i })),
      };
      await project(many);
      const found = {
        jobs: [] as object[],
        usage: [] as object[],
        devices: [] as object[],
        audit: [] as object[],
        books: [] as object[],
      };
      for await (const page of store.projected()) {
        for (const table of ["jobs", "usage", "devices", "audit"] as const) found[table].push(...page[table]);
      }
      for (const table of ["jobs", "usage", "devices", "audit"] as const) {
        assert.deepEqual(byText(found[table]), byText(many[table]), table);
      }
    });

    it("shows one moment to a frozen reader, whatever is written meanwhile", async (test) => {
      if (place.freeze === undefined) return test.skip("this store has no readers of its own");
      await append({ projected: { jobs: [jobOf()] }, privates: [privateOf("ada", "1")] });
      const frozen = await place.freeze();
      try {
        await append({ projected: { jobs: [jobOf({ id: "job_2" })] }, privates: [privateOf("ada", "2")] });
        assert.equal((await frozen.head()).seq, 1);
        assert.deepEqual(await frozen.jobs({ accounts: ["vision"], limit: 9 }), [jobOf()]);
        assert.deepEqual(shown(await frozen.privates("person")), { ada: "31" });
      } finally {
        await frozen.close();
      }
    });

    it("[F27] holds any text that people can send, and finds it again", async () => {
      const name = "nul \0, half \ud800, emoji 🙂, quote ' \" \\ %";
      await append({
        projected: { jobs: [jobOf({ name, account: "a'b/\0" })], audit: [auditOf({ detail: name, target: name })] },
        privates: [{ kind: "person", key: name, value: Buffer.from("1") }],
      });
      assert.equal((await store.jobs({ accounts: [], name, limit: 5 })).length, 1);
      assert.equal((await store.jobs({ accounts: ["a'b"], name, limit: 5 })).length, 1);
      const visible = "nul \u2400, half \ufffd, emoji 🙂, quote ' \" \\ %";
      assert.equal((await store.job("job_1"))?.name, visible);
      assert.equal((await store.audit({ accounts: [], limit: 1 }))[0]?.detail, visible);
      assert.equal((await store.privates("person", [name])).size, 1);
      assert.equal(await store.job("\0"), undefined);
    });

    it("holds a batch of a thousand rows", async () => {
      const thousand = Array.from({ length: 1_000 }, (_, i) => i);
      await project({
        jobs: thousand.map((i) => jobOf({ id: `job_${i}`, account: `a/b/c${i % 7}` })),
        usage: thousand.map((i) => usageOf({ lease: `lease_${i}` })),
        devices: thousand.map((i) => deviceOf({ gpu: `GPU-${i}` })),
        audit: thousand.map((i) => auditOf({ index: i, account: `a/b/c${i % 7}` })),
      });
      assert.equal((await store.jobs({ accounts: ["a/b"], limit: 2_000 })).length, 1_000);
      assert.equal((await store.usage([], 0, 2 ** 50)).length, 1_000);
      assert.equal((await store.devices(noon, noon)).length, 1_000);
      assert.equal((await store.audit({ accounts: ["a"], limit: 2_000 })).length, 1_000);
    });

    it("says how much room is left, or that it cannot know", async () => {
      const free = await store.freeBytes();
      assert.ok(free === undefined || (Number.isSafeInteger(free) && free > 0));
    });

    it("answers questions beside the writer", async (test) => {
      if (place.read === undefined) return test.skip("this store lives in one thread");
      const reader = await place.read();
      try {
        const row = await append({ projected: { jobs: [jobOf()] } });
        assert.deepEqual(shown(await reader.head()), shown(headOf(row)));
        assert.deepEqual(await reader.jobs({ accounts: [], limit: 9 }), [jobOf()]);
        await append();
        assert.equal((await reader.rows(1, 9)).length, 2);
      } finally {
        await reader.close();
      }
    });

    it("[S12] lets nobody change or delete a row of the journal", async (test) => {
      if (place.tamper === undefined) return test.skip("this store has no statements");
      await append();
      for (const statement of [
        "UPDATE journal SET at = 0",
        "UPDATE journal SET events = inputs WHERE seq = 1",
        "DELETE FROM journal",
        "DELETE FROM journal WHERE seq = 1",
      ]) {
        await assert.rejects(place.tamper(statement), /append-only/, statement);
      }
      assert.equal((await store.rows(1, 9)).length, 1);
    });

    it("[F23] refuses a store that a newer version has written, and leaves it as it is", async (test) => {
      if (place.makeNewer === undefined) return test.skip("this store is never older than the program");
      await append();
      await store.close();
      await place.makeNewer();
      const newer = /newer Tessera/;
      await assert.rejects(place.open(), newer);
      if (place.read !== undefined) await assert.rejects(place.read(), newer);
    });

    it("[S14] keeps every acknowledged batch whole when its process is killed in the middle of appending", async (test) => {
      if (place.config === undefined) return test.skip("this store ends with its process");
      for (const acknowledgedMin of [1, 12, 40]) {
        await store.close();
        const acknowledged = await appendUntilKilled(place.config, acknowledgedMin);
        await place.passTime?.();
        store = await place.open();
        const { seq } = await store.head();
        assert.ok(seq >= acknowledged, `acknowledged ${acknowledged}, found ${seq}`);
        assert.deepEqual(await checkChain(store), { sound: true, head: await store.head() });
        assert.equal((await store.jobs({ accounts: ["vision"], limit: 100_000 })).length, seq);
        assert.equal((await store.audit({ accounts: ["vision"], limit: 100_000 })).length, seq);
        assert.equal((await store.privates("person")).size, seq);
        assert.equal(await store.findOperation(`op_${acknowledged}`), acknowledged);
      }
    });
  });
}

/** Starts a process that appends without end, kills it after that many commits, and returns the last acknowledged. */
async function appendUntilKilled(config: StoreConfig, acknowledgedMin: number): Promise<number> {
  const program = fileURLToPath(new URL("./appender.js", import.meta.url));
  const child = spawn(process.execPath, [program, JSON.stringify(config)], { stdio: ["ignore", "pipe", "inherit"] });
  const gone = once(child, "exit");
  let last = 0;
  let seen = 0;
  for await (const line of createInterface(child.stdout)) {
    last = Number(line);
    // Lines already on their way when the signal is sent are acknowledgements too, so reading goes on to the end.
    if (++seen === acknowledgedMin) child.kill("SIGKILL");
  }
  const [, signal] = await gone;
  assert.equal(signal, "SIGKILL", "the appender must not end by itself");
  return last;
}

function isOutage(known: boolean): (error: unknown) => boolean {
  return (error) => error instanceof CommitOutage && error.known === known;
}

function privateOf(key: string, text: string) {
  return { kind: "person", key, value: Buffer.from(text) };
}

/** The value with bytes as hexadecimal text: one store hands out Buffers, another plain arrays. */
function shown(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
  if (value instanceof Map) return shown(Object.fromEntries(value));
  if (Array.isArray(value)) return value.map(shown);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([field, held]) => [field, shown(held)]));
}

function byText(rows: readonly object[]): string[] {
  return rows.map((row) => JSON.stringify(row)).sort();
}
