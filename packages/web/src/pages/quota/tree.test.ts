import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Account } from "@tessera/wire";
import { shownRows, treeOf } from "./tree.ts";

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

  it("opens what is small, what the chosen account lies in, and what was opened by hand", () => {
    const small = treeOf([account("a", 1), account("a/x", 1)]);
    const pathsOf = (rows: ReturnType<typeof shownRows>) => rows.map(({ account: { path } }) => path);
    assert.deepEqual(pathsOf(shownRows(small, "", new Map())), ["a", "a/x"]);
    assert.deepEqual(pathsOf(shownRows(small, "", new Map([["a", false]]))), ["a"]);
    const names = Array.from({ length: 30 }, (_, no) => `t${String(no).padStart(2, "0")}`);
    const large = treeOf(
      names.flatMap((name) => [account(name, 1), account(`${name}/x`, 1), account(`${name}/x/y`, 1)]),
    );
    assert.deepEqual(pathsOf(shownRows(large, "", new Map())), names);
    assert.deepEqual(
      pathsOf(shownRows(large, "t03/x", new Map([["t05", true]]))).filter((path) => /t0[35]/.test(path)),
      [...["t03", "t03/x", "t03/x/y"], ...["t05", "t05/x"]],
    );
    const below = treeOf(names.flatMap((name) => [account(`top/${name}`, 1), account(`top/${name}/x`, 1)]));
    assert.equal(shownRows(below, "", new Map()).length, 30, "accounts whose parent may not be seen are at the top");
  });

  it("takes limits of models as parts of the limit of all, not as more", () => {
    const mostOf = (max: Record<string, number>) => treeOf([{ ...account("a", 1), max }])[0]!.max;
    assert.equal(mostOf({ "*": 40, H100: 32 }), 40);
    assert.equal(mostOf({ H100: 32 }), undefined, "of other models it may hold any number");
  });

  it("indents from the first account that may be seen", () => {
    assert.equal(treeOf([account("a/x/y", 0)])[0]!.depth, 0);
  });
});
