import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Account } from "@tessera/wire";
import { treeOf } from "./tree.ts";

const account = (path: string, guarantee: number, used = 0): Account =>
  ({
    path,
    guarantee: guarantee === 0 ? {} : { "*": guarantee },
    used: { gpus: used, byModel: {}, borrowed: 0, cpus: 0, memoryMiB: 0 },
  }) as unknown as Account;

describe("the quota tree", () => {
  it("puts each account below the one it belongs to, siblings by name", () => {
    const rows = treeOf([account("b", 1), account("a/x", 1), account("a-b", 1), account("a", 2), account("a/x/y", 0)]);
    assert.deepEqual(
      rows.map(({ account: { path }, depth }) => `${depth} ${path}`),
      ["0 a", "1 a/x", "2 a/x/y", "0 a-b", "0 b"],
    );
  });

  it("indents from the first account that may be seen", () => {
    assert.equal(treeOf([account("a/x/y", 0)])[0]!.depth, 0);
  });
});
