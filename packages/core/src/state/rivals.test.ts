import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { spotFor } from "../collections/linked-list.ts";
import { Rivals } from "./rivals.ts";
import type { WaitingGroup } from "./waiting.ts";

/** Groups of an account whose order may change with time, and who goes before whom among them. */
function ground(...names: string[]) {
  const rivals = new Rivals();
  const groups = names.map((name) => ({ name, order: "aged-shortest" }) as unknown as WaitingGroup);
  for (const group of groups) rivals.groups.add(spotFor(group));
  const rank = new Map(groups.map((group, i) => [group, i]));
  const goesFirst = (a: WaitingGroup, b: WaitingGroup) => rank.get(a)! < rank.get(b)!;
  return { rivals, groups, rank, goesFirst };
}

describe("those of an account who want the same seats", () => {
  it("[O3] are asked in order, each once in a pass", () => {
    const { rivals, groups, goesFirst } = ground("a", "b", "c");
    const told = new Set<WaitingGroup>();
    for (const group of groups) {
      assert.equal(rivals.first(goesFirst, told, 1), group);
      told.add(group);
    }
    assert.equal(rivals.first(goesFirst, told, 1), undefined);
  });

  it("[O3] are put in order anew when one of them has another first job, in the same pass too", () => {
    const { rivals, groups, rank, goesFirst } = ground("a", "b", "c");
    const [a, b, c] = groups as [WaitingGroup, WaitingGroup, WaitingGroup];
    const told = new Set([a]);
    for (let asked = 0; asked < 2; asked++) assert.equal(rivals.first(goesFirst, told, 1), b);
    rank.set(c, 0.5);
    rivals.changed();
    for (let asked = 0; asked < 2; asked++) assert.equal(rivals.first(goesFirst, told, 1), c);
  });

  it("[O3] are put in order anew in the next pass, since time alone may change it", () => {
    const { rivals, groups, rank, goesFirst } = ground("a", "b");
    for (let asked = 0; asked < 2; asked++) assert.equal(rivals.first(goesFirst, new Set(), 1), groups[0]);
    rank.set(groups[1]!, -1);
    assert.equal(rivals.first(goesFirst, new Set(), 2), groups[1]);
  });
});
