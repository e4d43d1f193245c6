import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isRefusal, parseDuration } from "@tessera/core";
import { checkZone, instantOf, instantOrAgo } from "./zones.ts";

const iso = (text: string, zone?: string) => {
  const at = instantOf(text, zone, "deadline");
  return isRefusal(at) ? `${at.field}: ${at.detail}` : new Date(at).toISOString();
};

describe("times in a job file", () => {
  it("are taken by their own offset, or as local time of the zone", () => {
    assert.equal(iso("2026-09-01T18:00:00+02:00"), "2026-09-01T16:00:00.000Z");
    assert.equal(iso("2026-09-01T18:00:00Z", "Europe/Berlin"), "2026-09-01T18:00:00.000Z");
    assert.equal(iso("2026-09-01T18:00", "Europe/Berlin"), "2026-09-01T16:00:00.000Z");
    assert.equal(iso("2026-12-01 18:00", "Europe/Berlin"), "2026-12-01T17:00:00.000Z");
    assert.equal(iso("2026-12-01", "Asia/Kathmandu"), "2026-11-30T18:15:00.000Z");
  });

  it("move past an hour that the clocks skip, and mean the first of one that comes twice", () => {
    assert.equal(iso("2026-03-29T02:30", "Europe/Berlin"), "2026-03-29T01:30:00.000Z"); // 03:30 summer time
    assert.equal(iso("2026-10-25T02:30", "Europe/Berlin"), "2026-10-25T00:30:00.000Z"); // still summer time
    assert.equal(iso("2026-03-08T02:15", "America/New_York"), "2026-03-08T07:15:00.000Z");
    assert.equal(iso("2026-11-01T01:30", "America/New_York"), "2026-11-01T05:30:00.000Z");
    assert.equal(iso("2026-04-05T01:45", "Australia/Lord_Howe"), "2026-04-04T14:45:00.000Z"); // a change of half an hour
  });

  it("are refused when they do not exist or say too little", () => {
    assert.match(iso("2026-09-01T18:00"), /tz is not given/);
    for (const bad of ["tomorrow", "2026-9-1", "2026-09-01T18:00[Europe/Berlin]", "", "+012026-01-01T00:00Z"]) {
      assert.match(iso(bad, "UTC"), /not a date/, bad);
    }
    for (const bad of ["2026-02-30T10:00", "2026-13-01T10:00", "2026-01-01T25:00", "2026-01-01T10:61Z"]) {
      assert.match(iso(bad, "UTC"), /exist/, bad);
    }
    assert.equal(checkZone("Europe/Berlin"), undefined);
    assert.equal(checkZone("Mars/Olympus")?.field, "tz");
  });

  it("may be durations back from now in a query", () => {
    const ago = (text: string) =>
      instantOrAgo(text, "from", 1_000_000_000_000, (duration) => parseDuration(duration, "from"));
    assert.equal(ago("1d"), 1_000_000_000_000 - 86_400_000);
    assert.equal(ago("2001-09-09T01:46:40Z"), 1_000_000_000_000);
    assert.ok(isRefusal(ago("12parsecs")));
  });
});
