import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { day, hour, type Instant, minute } from "@tessera/core";
import { openReader, type RollUpQuery, SeriesFollower, type StoreReader } from "@tessera/server";
import { writeDay } from "./day.ts";
import { type NaiveMinute, naiveSeries } from "./naive-series.ts";

describe("series of a simulated day", () => {
  const untilAt = Date.UTC(2026, 0, 6);
  const from = untilAt - day;
  let data: string;
  let naive: { minutes: Map<Instant, NaiveMinute>; waits: number[] };
  before(async () => {
    data = mkdtempSync(join(tmpdir(), "tessera-series-"));
    await writeDay({ data, gpus: 128, seed: 3, untilAt, progress: () => {} });
    const reader = await open();
    naive = await naiveSeries(reader);
    await reader.close();
  });
  after(() => rmSync(data, { recursive: true, force: true }));

  const open = (): Promise<StoreReader> => openReader({ dir: join(data, "store") });
  const follow = async (name: string, seq?: number): Promise<SeriesFollower> => {
    const reader = await open();
    const { seq: last } = await reader.head();
    const follower = await SeriesFollower.open(reader, join(data, name), (text) => said.push(text));
    await follower.follow({ seq: seq ?? last, now: seq === undefined ? untilAt + 2 * minute : 0 });
    return follower;
  };
  const said: string[] = [];
  const root = { key: "", plus: ["acc_root"], minus: [] };
  const ask = (follower: SeriesFollower, query: Partial<RollUpQuery> & Pick<RollUpQuery, "name">, stepMs = minute) =>
    follower.answer(
      { ...{ kind: "gauge", groups: [root], byKey: true, from, to: untilAt, stepMs, linesMax: 50 }, ...query },
      untilAt,
    );

  /** Compares each step with what the minutes in it say. */
  const compare = (follower: SeriesFollower, name: RollUpQuery["name"], kind: "gauge" | "counter", stepMs: number) => {
    const { times, lines, stepMs: given } = ask(follower, { name, kind }, stepMs);
    assert.equal(given, stepMs);
    const read = kind === "gauge" ? "standing" : "happened";
    const keys = new Set<string>();
    for (const each of naive.minutes.values())
      for (const key of each[read].keys()) if (key.split(" ")[0] === name) keys.add(key);
    assert.ok(keys.size > 0, `${name} happens in the story`);
    const sums = (at: Instant, key: string) => {
      let sum = 0;
      for (let no = 0; no < stepMs / minute; no++) sum += naive.minutes.get(at + no * minute)?.[read].get(key) ?? 0;
      return kind === "gauge" ? sum / (stepMs / minute) : sum;
    };
    for (const key of keys) {
      const line = name === "waiting" ? undefined : lines.find((each) => each.key === (key.split(" ")[1] ?? ""));
      const values =
        name === "waiting"
          ? times.map((_, step) => lines.reduce((sum, each) => sum + (each.values[step] ?? 0), 0))
          : (line?.values ?? []);
      assert.deepEqual(
        values.map((value) => Math.round((value ?? -1) * 1e4)),
        times.map((at) => Math.round(sums(at, key) * 1e4)),
        `${key} in steps of ${stepMs} ms`,
      );
    }
  };
  const all = (follower: SeriesFollower) => {
    for (const stepMs of [minute, 10 * minute, hour]) {
      compare(follower, "allocated", "gauge", stepMs);
      compare(follower, "waiting", "gauge", stepMs);
      for (const name of ["starts", "ends", "preemptions"] as const) compare(follower, name, "counter", stepMs);
    }
  };

  it("are what the rows of the journal come to", async () => {
    const follower = await follow("whole.sqlite");
    all(follower);
    const whole = ["capacity", "idle", "down", "reserved", "allocated"] as const;
    const at = (name: (typeof whole)[number]) =>
      ask(follower, { name, byKey: false }).lines[0]?.values ?? Array.from({ length: day / minute }, () => 0);
    const [capacity, ...parts] = whole.map(at);
    assert.deepEqual(
      capacity,
      capacity!.map((_, step) => parts.reduce((sum, part) => sum + (part[step] ?? 0), 0)),
    );
    await follower.close();
  });

  it("say the wait of the middle job within a tenth", async () => {
    const follower = await follow("whole.sqlite");
    const sorted = naive.waits.toSorted((a, b) => a - b);
    for (const part of [0.5, 0.9]) {
      const exact = sorted[Math.ceil(sorted.length * part) - 1]! / 1_000;
      const [line] = ask(follower, { name: "waits", kind: { quantile: part }, byKey: false }, day).lines;
      const told = line!.values[0]!;
      assert.ok(Math.abs(told - exact) <= Math.max(1, exact / 10), `${told} s for ${exact} s`);
    }
    await follower.close();
  });

  it("are the same after a crash in the middle, and count no row twice", async () => {
    const half = await follow("crashed.sqlite", 150);
    await half.write();
    const reader = await open();
    const further = await SeriesFollower.open(reader, join(data, "crashed.sqlite"), assert.fail);
    await further.follow({ seq: 350, now: 0 }); // hours that are over are on the disk, the rest never is
    const again = await follow("crashed.sqlite");
    all(again);
    await again.close();
  });

  it("are made again when they are of another journal, or damaged", async () => {
    writeFileSync(
      join(data, "damaged.sqlite"),
      "no database at all, and long enough to be looked at as one".repeat(40),
    );
    said.length = 0;
    const follower = await follow("damaged.sqlite");
    assert.match(said.join("\n"), /cannot be read .* made again from the journal/);
    all(follower);
    await follower.close();
  });
});
