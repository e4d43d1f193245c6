import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { gpuHoursOf, spellMiB, spellShare, spellWaiting } from "./numbers.ts";
import {
  inZone,
  spell,
  spellAbout,
  spellClock,
  spellDate,
  spellDay,
  spellMonth,
  spellSpan,
  spellStart,
} from "./times.ts";
import { instantOf, localOf } from "./zone.ts";

describe("words on screen", () => {
  it("say a span in at most two units", () => {
    assert.deepEqual([5_000, 90_000, 7_800_000, 100 * 3_600_000].map(spellSpan), ["5s", "1m30s", "2h10m", "4d4h"]);
  });

  it("are a time in a form that the browser takes, also while its year is being typed", () => {
    for (const typed of ["2026-11-16T14:20", "0002-06-15T23:29"]) assert.equal(localOf(instantOf(typed)!), typed);
  });

  it("say a measured span in two figures", () => {
    const spans = [0, 1_090, 45_300, 210_000, 84_960_000, 241_000_000];
    const words = ["under 1 s", "about 1.1 s", "about 45 s", "about 3.5 min", "about 24 h", "about 2.8 d"];
    assert.deepEqual(spans.map(spellAbout), words);
  });

  it("are relative under a day and absolute beyond", () => {
    const now = Date.parse("2026-11-15T12:00:00Z");
    assert.equal(spell("2026-11-15T11:00:00Z", now), "1h ago");
    assert.equal(spell("2026-11-15T12:30:00Z", now), "in 30m");
    assert.match(spell("2026-11-13T12:00:00Z", now), /^Nov 13/);
    assert.doesNotMatch(spell("2026-11-13T12:00:00Z", now), /2026/);
  });

  it("say the year where it is not this one", () => {
    const now = Date.parse("2026-11-15T12:00:00Z");
    const last = "2025-11-13T12:00:00Z";
    assert.match(spell(last, now), /Nov 13, 2025/);
    assert.match(spellClock(last, now), /Nov 13, 2025/);
    assert.match(spellDay(Date.parse(last), now), /Nov 13, 2025/);
    assert.equal(spellMonth("2025-12"), "December 2025");
  });

  it("have times of the server in the reader's zone, and dates of the books in theirs", () => {
    const at = "2026-10-31T23:00:00.000Z";
    assert.equal(inZone(`spent at ${at}, not 2026`), `spent at ${spellClock(at)}, not 2026`);
    assert.deepEqual([spellDate(at, "Europe/Berlin"), spellDate(at, "UTC")], ["2026-11-01", "2026-10-31"]);
  });

  it("never round a part to nothing or to all", () => {
    assert.deepEqual(
      [spellShare(1, 1000), spellShare(999, 1000), spellShare(1, 2), spellShare(1, 0), spellShare(132, 1)],
      ["<1 %", ">99 %", "50 %", "0 %", "13,200 %"],
    );
    assert.deepEqual([spellShare(-1, 1000), spellShare(-1, 4)], [">−1 %", "−25 %"]);
  });

  it("say what waits where the rest of its array runs", () => {
    assert.deepEqual(
      [
        { jobs: 2, gpus: 9 },
        { jobs: 0, gpus: 102 },
        { jobs: 0, gpus: 0 },
      ].map(spellWaiting),
      ["2 jobs", "elements of running arrays", "0 jobs"],
    );
  });

  it("keep GPU time exact beyond 2^53", () => {
    assert.equal(gpuHoursOf(String(21_000n * 3_600_000n * 1_000_000n)), 1_000_000);
    assert.equal(spellMiB(81_920), "80 GiB");
  });

  it("say when a job starts as far as that is known", () => {
    assert.equal(spellStart({ when: "now" }), "Starts now");
    assert.match(spellStart({ when: "unknown", why: "nothing that runs has a limit" }), /nothing that runs/);
    const period = { when: "later", at: "2026-12-01T00:00:00Z", basis: "period" } as const;
    assert.match(spellStart(period), /^Not before /);
    assert.match(spellStart({ when: "later", p50: "2026-11-15T12:00:00Z", p90: "2026-11-15T13:00:00Z" }), /p50.*p90/);
  });
});
