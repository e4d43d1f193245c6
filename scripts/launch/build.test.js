import assert from "node:assert/strict";
import { existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { needsBuild, removeOrphans } from "./build.js";
import { temporaryFolder } from "./temporary.js";
import { builtPackages, signatureOfSources } from "./tree.js";

/** A clone with one package, as it is after a build. */
function builtClone(t) {
  const root = temporaryFolder(t);
  const write = (path, text = "") => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  write(
    "tsconfig.json",
    JSON.stringify({ references: [{ path: "packages/a" }, { path: "packages/a/tsconfig.test.json" }] }),
  );
  write("tsconfig.base.json", "{}");
  write("packages/a/tsconfig.json", "{}");
  write("packages/a/package.json", "{}");
  write("packages/a/src/index.ts");
  write("packages/a/src/deep/b.ts");
  write("packages/a/dist/index.js");
  write(".cache/built", signatureOfSources(root));
  return { root, write };
}

describe("whether a build is needed", () => {
  it("is not, right after one", (t) => {
    assert.equal(needsBuild(builtClone(t).root), false);
  });

  it("is in a fresh clone, and when the output is gone", (t) => {
    const { root } = builtClone(t);
    rmSync(join(root, "packages/a/dist"), { recursive: true });
    assert.equal(needsBuild(root), true);
    rmSync(join(root, ".cache"), { recursive: true });
    assert.equal(needsBuild(root), true);
  });

  const changes = {
    "a source is added": ({ write }) => write("packages/a/src/new.ts"),
    "a source is removed": ({ root }) => rmSync(join(root, "packages/a/src/deep/b.ts")),
    "a source is edited": ({ write }) => write("packages/a/src/index.ts", "export {};"),
    "a source has another time, even an older one": ({ root }) =>
      utimesSync(join(root, "packages/a/src/index.ts"), 1, 1),
    "a compiler setting changes": ({ write }) => write("packages/a/tsconfig.test.json", "{}"),
    "the packages change": ({ write }) => {
      write("packages/b/tsconfig.json", "{}");
      write("packages/b/dist/index.js");
      write("tsconfig.json", JSON.stringify({ references: [{ path: "packages/a" }, { path: "packages/b" }] }));
    },
  };
  for (const [name, change] of Object.entries(changes)) {
    it(`is when ${name}`, (t) => {
      const clone = builtClone(t);
      change(clone);
      assert.equal(needsBuild(clone.root), true);
    });
  }

  it("does not look at what the build itself writes", (t) => {
    const { root, write } = builtClone(t);
    write("packages/a/dist/deep/b.js");
    write("packages/a/tsconfig.tsbuildinfo");
    assert.equal(needsBuild(root), false);
  });

  it("counts a package with two compiler projects once", (t) => {
    assert.deepEqual(builtPackages(builtClone(t).root), ["packages/a"]);
  });
});

describe("output of sources that are gone", () => {
  it("is removed, and nothing else", (t) => {
    const { root, write } = builtClone(t);
    const stays = [
      "dist/index.js",
      "dist/index.d.ts",
      "dist/deep/b.js.map",
      "dist/tsconfig.test.tsbuildinfo",
      "dist/x.sql",
    ];
    const goes = ["dist/old.test.js", "dist/old.test.js.map", "dist/old.test.d.ts", "dist/deep/old.d.ts.map"];
    for (const path of [...stays, ...goes]) write(`packages/a/${path}`);
    assert.deepEqual(removeOrphans(root).sort(), goes.map((path) => `packages/a/${path}`).sort());
    for (const path of stays) assert.ok(existsSync(join(root, "packages/a", path)), path);
  });
});
