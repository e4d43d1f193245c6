import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { listNode } from "../collections/linked-list.ts";
import type { AccountNo } from "../model/ids.ts";
import { Rivals, ShapeQueue, type WaitingGroup } from "../state/indexes/waiting-group.ts";
import { RivalOrder } from "./rival-order.ts";

/** Groups of an account whose order may change with time, and their order. */
function ground(...names: string[]) {
  const rivals = new Rivals(1 as AccountNo, new ShapeQueue({ key: "" }));
  const groups = names.map((name) => ({ name, order: "aged-shortest" }) as unknown as WaitingGroup);
  for (const group of groups) rivals.groups.add(listNode(group));
  const rank = new Map(groups.map((group, i) => [group, i]));
  const goesFirst = (a: WaitingGroup, b: WaitingGroup) => rank.get(a)! < rank.get(b)!;
  return { rivals, order: new RivalOrder(rivals), groups, rank, goesFirst };
}

describe("groups of one account that want the same seats", () => {
  it("[O3] are tried in order, each once in a pass", () => {
    const { order, groups, goesFirst } = ground("a", "b", "c");
    const tried = new Set<WaitingGroup>();
    for (const group of groups) {
      assert.equal(order.first(goesFirst, tried, 1), group);
      tried.add(group);
    }
    assert.equal(order.first(goesFirst, tried, 1), undefined);
  });

  it("[O3] are ordered again when one of them has another first job, in the same pass too", () => {
    const { rivals, order, groups, rank, goesFirst } = ground("a", "b", "c");
    const [a, b, c] = groups as [WaitingGroup, WaitingGroup, WaitingGroup];
    const tried = new Set([a]);
    for (let asked = 0; asked < 2; asked++) assert.equal(order.first(goesFirst, tried, 1), b);
    rank.set(c, 0.5);
    rivals.version++;
    for (let asked = 0; asked < 2; asked++) assert.equal(order.first(goesFirst, tried, 1), c);
  });

  it("[O3] are ordered again in the next pass, since time alone may change the order", () => {
    const { order, groups, rank, goesFirst } = ground("a", "b");
    for (let asked = 0; asked < 2; asked++) assert.equal(order.first(goesFirst, new Set(), 1), groups[0]);
    rank.set(groups[1]!, -1);
    assert.equal(order.first(goesFirst, new Set(), 2), groups[1]);
  });
});
