import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, statSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, afterEach, before, describe, it } from "node:test";
import { fleetOf, TestControl } from "../testing/control.ts";
import { Tenancy } from "../testing/tenancy.ts";
import { SeriesFollower } from "./series-follower.ts";

describe("the thread of the series", () => {
  const minute = 60_000;
  const start = 1_800_000_000_000;
  let control: TestControl;
  let dir: string;
  const said: string[] = [];
  before(async () => {
    dir = mkdtempSync(join(tmpdir(), "tessera-series-"));
    control = await TestControl.start(undefined, []);
    control.setTime(start);
    await control.must({ kind: "node.register", nodes: fleetOf(2, 8) });
    const tenancy = new Tenancy(control);
    await tenancy.account("acme");
    const ana = await tenancy.user("ana", "member", "acme");
    await tenancy.job("acme", ana.id, { gpus: 4 });
  });
  after(() => rmSync(dir, { recursive: true, force: true }));
  afterEach(() => {
    said.length = 0;
  });

  const fileIn = (folder = dir) => join(folder, "series.sqlite");
  const open = (folder = dir) => SeriesFollower.open(control.reader, fileIn(folder), (text) => said.push(text));
  const follow = async (follower: SeriesFollower, minutes: number) => {
    const { seq } = await control.reader.head();
    await follower.follow({ seq, now: start + minutes * minute });
    await follower.write();
  };
  const asked = (follower: SeriesFollower, now: number) => {
    const root = control.state.accounts[0]!.id;
    const ask = {
      name: "allocated",
      kind: "gauge",
      groups: [{ key: "", plus: [root], minus: [] }],
      byKey: false,
    } as const;
    const span = { from: start, to: start + 60 * minute, stepMs: 10 * minute, linesMax: 1 };
    return follower.answer({ ...ask, ...span }, now);
  };
  const held = (follower: SeriesFollower) => asked(follower, start).lines;
  it("says until when the journal has been read where that is long ago, and nothing before it has begun", async () => {
    const follower = await open();
    const now = start + 50 * minute;
    assert.equal(asked(follower, now).knownTo, undefined);
    await follow(follower, 20);
    assert.equal(asked(follower, now).knownTo, start + 19 * minute);
    await follow(follower, 50);
    assert.equal(asked(follower, now).knownTo, undefined);
    await follower.close();
    rmSync(fileIn());
  });

  /** The last bytes of each row are gone. */
  const damage = (table: "open" | "chunk") => {
    const db = new DatabaseSync(fileIn());
    db.exec(`UPDATE ${table} SET bytes = substr(bytes, 1, length(bytes) - 1)`);
    db.close();
  };

  it("makes the file again when a row of the hour that is under way is damaged", async () => {
    await follow(await open(), 50);
    damage("open");
    const again = await open();
    assert.match(said.join("\n"), /a row of the series is damaged: it ends too early; the series are made again/);
    await follow(again, 50);
    assert.deepEqual(held(again)[0]!.values.slice(1, 4), [4, 4, 4]);
  });

  it("makes it again at its next start when a row is damaged that a chart or the next hour reads", async () => {
    const reads = [held, (follower: SeriesFollower) => follow(follower, 190)];
    for (const read of reads) {
      said.length = 0;
      const follower = await open();
      await follow(follower, 130);
      damage("chunk");
      await assert.rejects(async () => read(follower), /a row of the series is damaged/);
      assert.deepEqual(said, []);
      const again = await open();
      assert.match(said.join("\n"), /cannot be read \(a row of it is damaged\) and are made again from the journal/);
      await follow(again, 130);
      assert.deepEqual(held(again)[0]!.values.slice(1, 6), [4, 4, 4, 4, 4]);
    }
  });

  /** What a disk does whose blocks go bad: nothing is left of these pages, or of all. */
  const ruin = (table?: "chunk") => {
    const db = new DatabaseSync(fileIn());
    db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    const { page_size: size } = db.prepare("PRAGMA page_size").get() as { page_size: number };
    const root = db.prepare("SELECT rootpage FROM sqlite_master WHERE name = ?").get(table ?? "");
    db.close();
    const file = openSync(fileIn(), "r+");
    const bytes = Buffer.alloc(root === undefined ? statSync(fileIn()).size : size, 0x5a);
    writeSync(file, bytes, 0, bytes.length, root === undefined ? 0 : (Number(root.rootpage) - 1) * size);
    closeSync(file);
  };

  it("makes it again at its next start when blocks of it are bad, also where that cannot be marked any more", async () => {
    const reads = [held, (follower: SeriesFollower) => follow(follower, 190)];
    for (const table of ["chunk", undefined] as const)
      for (const read of reads) {
        said.length = 0;
        const follower = await open();
        await follow(follower, 130);
        ruin(table);
        const made = /the file of the series is damaged \(.+\); the series are made again from the journal/;
        await assert.rejects(async () => read(follower), made);
        await assert.rejects(async () => held(follower), made);
        await follower.close();
        const again = await open();
        assert.deepEqual(said.length, table === undefined ? 0 : 1, "what cannot be marked is gone");
        await follow(again, 130);
        assert.deepEqual(held(again)[0]!.values.slice(1, 6), [4, 4, 4, 4, 4]);
        await again.close();
      }
  });

  it("keeps the file while its disk is full, and goes on from it afterwards", async (test) => {
    const disk = join(dir, "disk");
    mkdirSync(disk);
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", disk], { stdio: "ignore" });
    } catch {
      return test.skip("mounting a small disk needs root");
    }
    try {
      const follower = await open(disk);
      await follow(follower, 130);
      const { seq } = follower;
      assert.throws(() => writeFileSync(join(disk, "ballast"), Buffer.alloc(2 ** 20)), /ENOSPC/);
      await assert.rejects(follow(follower, 190), /^Error: the disk of the series is full; free some space$/);
      await assert.rejects(
        async () => held(follower),
        /the disk of the series is full/,
        "its memory is ahead of the disk",
      );
      await follower.close();
      const meanwhile = await open(disk);
      assert.deepEqual(held(meanwhile)[0]!.values.slice(1, 6), [4, 4, 4, 4, 4], "until there is more to write");
      await meanwhile.close();
      rmSync(join(disk, "ballast"));
      const after = await open(disk);
      assert.equal(after.seq, seq);
      await follow(after, 190);
      await after.close();
      assert.deepEqual(said, []);
    } finally {
      execFileSync("umount", ["-l", disk]); // lazily: a follower that failed may still have it open
    }
  });
});
