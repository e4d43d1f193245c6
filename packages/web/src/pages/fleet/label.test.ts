import assert from "node:assert/strict";
import { it } from "node:test";
import { shortened } from "./label.ts";

it("a name on the map keeps its end, as much as there is room for, and never loses its last letter", () => {
  const letters: Readonly<Record<string, number>> = { "-": 4, "1": 5, "…": 10 };
  const within = (room: number) => (text: string) =>
    [...text].reduce((sum, letter) => sum + (letters[letter] ?? 7), 0) <= room;
  assert.equal(shortened("rack-16", within(100)), "rack-16");
  assert.equal(shortened("rack-16", within(44)), "rack-16", "exactly");
  assert.equal(shortened("rack-16", within(43)), "…ck-16");
  assert.equal(shortened("rack-16", within(17)), "…6");
  assert.equal(shortened("rack-16", within(9)), "", "a cut letter would be another one");
});
