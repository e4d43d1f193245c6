import assert from "node:assert/strict";
import { it } from "node:test";
import { spellDay } from "../../format/times.ts";
import { notesOf } from "./notes.ts";

const [from, to] = ["2026-12-01T07:00:00Z", "2026-12-05T17:00:00Z"];

it("says what is promised beyond what is there, given in sizes, and other for a time", () => {
  assert.deepEqual(notesOf({ overcommitted: false }), []);
  assert.deepEqual(
    notesOf({
      overcommitted: true,
      guaranteeSizes: { Small: 14, Large: 1 },
      windows: [
        { from, to, state: "planned", quota: { guarantee: { "*": 16 }, max: null } },
        { from, to, state: "active", quota: { weight: 3 } },
        { from, to, state: "refused", refused: "it would exceed lab", quota: { guarantee: { H100: 4 } } },
      ],
    }),
    [
      "overcommitted: the guarantees below exceed the guarantee here",
      "guaranteed 14 Small, 1 Large",
      `${spellDay(Date.parse(from))} to ${spellDay(Date.parse(to))}: guarantee 16, max none`,
      `until ${spellDay(Date.parse(to))}: weight 3`,
      `${spellDay(Date.parse(from))} to ${spellDay(Date.parse(to))}: guarantee 4 H100, not in force: it would exceed lab`,
    ],
  );
});
