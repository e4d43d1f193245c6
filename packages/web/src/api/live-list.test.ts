import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LiveList } from "./live-list.ts";

interface Item {
  readonly id: string;
  readonly at: number;
}

describe("a watched list", () => {
  const list = () => new LiveList<Item>(({ id }) => id);
  const idsOf = (each: LiveList<Item>) => each.items?.map(({ id, at }) => `${id}${at}`).sort();

  it("is not known before the first sync, and follows every change after it", () => {
    const names = list();
    names.put({ id: "a", at: 1 });
    assert.equal(names.items, undefined);
    names.sync([{ id: "b", at: 1 }]);
    names.put({ id: "b", at: 2 });
    names.put({ id: "c", at: 2 });
    names.delete("b");
    names.delete("b");
    assert.deepEqual(idsOf(names), ["c2"]);
    assert.equal(names.items, names.items, "the same until something changes");
  });

  it("takes the rest of a long list beside what the stream said meanwhile, which is newer", () => {
    const names = list();
    names.sync([{ id: "a", at: 1 }]);
    names.put({ id: "b", at: 2 });
    names.delete("c");
    names.delete("d");
    names.put({ id: "d", at: 3 });
    names.addMissing(["a", "b", "c", "d", "e"].map((id) => ({ id, at: 0 })));
    assert.deepEqual(idsOf(names), ["a1", "b2", "d3", "e0"]);
  });

  it("that only grows has the newest first, also of what happened at the same instant", () => {
    const records = new LiveList<Item>(({ id }) => id, true);
    records.sync(["placed", "submitted"].map((id) => ({ id, at: 1 })));
    for (const id of ["started", "ended"]) records.put({ id, at: 2 });
    assert.deepEqual(
      records.items?.map(({ id }) => id),
      ["ended", "started", "placed", "submitted"],
    );
  });
});
