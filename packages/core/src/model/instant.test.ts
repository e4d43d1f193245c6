import assert from "node:assert/strict";
import { it } from "node:test";
import { instantText } from "./instant.ts";

// Of the years that have a leap day by their own rule, and of the days around it.
const shown = [
  "1970-01-01T00:00:00Z",
  "1999-12-31T23:59:59Z",
  "2000-02-29T12:30:15Z",
  "2024-02-29T00:00:00Z",
  "2024-03-01T00:00:00Z",
  "2026-11-16T05:20:48Z",
  "2100-02-28T23:59:59Z",
  "2100-03-01T00:00:00Z",
];
/** The same instants in milliseconds, as a calendar outside the core counts them. */
const instants = [
  0, 946_684_799_000, 951_827_415_000, 1_709_164_800_000, 1_709_251_200_000, 1_794_806_448_000, 4_107_542_399_000,
  4_107_542_400_000,
];

it("an instant is shown as a date and a time in UTC", () => {
  assert.deepEqual(instants.map(instantText), shown);
});
