import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SeriesFile } from "./file.ts";
import { readRollUps } from "./read.ts";
import { RollUps } from "./roll-ups.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

describe("roll-ups of days", () => {
  it("are the sums of their hours, the hour that is under way too, also after they were opened again", () => {
    const file = SeriesFile.begin(":memory:");
    const start = 20_000 * day;
    let rollUps = new RollUps(file);
    rollUps.begin(start);
    const hours = 2 * 24 + 5;
    for (let at = start + minute; at <= start + hours * hour + 30 * minute; at += minute) {
      rollUps.add("ends", "acc", "failed", 1);
      rollUps.stand(at, 0, (sink) => {
        sink.add("idle", "acc", "", 6);
        sink.add("samples", "", "", 1);
      });
      if ((at - start) % (7 * hour) !== 0) continue;
      rollUps.write("");
      rollUps = new RollUps(file);
    }
    const ask = { groups: [{ key: "", plus: ["acc"], minus: [] }], byKey: false, linesMax: 10 } as const;
    const read = (name: "ends" | "idle", kind: "counter" | "gauge", stepMs: number) =>
      readRollUps(rollUps, file, { ...ask, name, kind, from: start, to: start + 3 * day, stepMs }).lines[0]?.values;
    assert.deepEqual(read("ends", "counter", day), [1440, 1440, 330]);
    assert.deepEqual(read("idle", "gauge", day), [6, 6, 6]);
    const byHour = read("ends", "counter", hour)!.map((value) => value ?? 0);
    assert.equal(
      byHour.slice(0, 24).reduce((sum, value) => sum + value, 0),
      1440,
    );
    file.close();
  });
});
