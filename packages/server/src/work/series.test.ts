import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { openStore } from "../store/index.ts";
import { ThreadedSeries } from "./series.ts";

describe("the series beside the API", () => {
  const now = 1_800_000_000_000;
  let dir: string;
  let series: ThreadedSeries;
  before(async () => {
    dir = mkdtempSync(join(tmpdir(), "tessera-series-"));
    const store = { dir };
    await (await openStore(store)).close();
    series = new ThreadedSeries({ store, file: join(dir, "series.sqlite") }, () => ({ seq: 0, now }), assert.fail);
  });
  after(async () => {
    await series.close();
    rmSync(dir, { recursive: true, force: true });
  });

  it("answer one caller, however many charts another asks for", async () => {
    const span = { from: now - 90 * 86_400_000, to: now, stepMs: 86_400_000, linesMax: 1 };
    const query = {
      name: "starts",
      kind: "counter",
      groups: [{ key: "", plus: [], minus: [] }],
      byKey: false,
    } as const;
    const asked = Array.from({ length: 64 }, () => series.read({ ...query, ...span }, "ann"));
    const settling = Promise.allSettled(asked);
    const { times } = await series.read({ ...query, ...span }, "bob");
    assert.equal(times.length, 91);
    const answered = (await settling).filter(({ status }) => status === "fulfilled");
    assert.equal(answered.length, 33, "one that is asked, and 32 that wait");
  });
});
