import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fileCycles, importsWithin, layersIn, listFaults, upwardImports } from "./folders.js";

const layers = [["model", "journal"], ["state"], ["queue", "claim"]];

/** A package of files that import each other: `{ "queue/order.ts": ["../state/state.ts"] }`. */
function packageOf(files) {
  const paths = Object.entries(files).map(([path, targets]) => [
    `packages/core/src/${path}`,
    targets.map((target) => `import type { A } from "${target}";\n`).join(""),
  ]);
  return importsWithin("core", new Map(paths));
}

const upward = (files) => upwardImports("core", layers, packageOf(files)).join("\n");

const sound = {
  "index.ts": ["./queue/order.ts", "./model/job.ts"],
  "model/job.ts": [],
  "journal/event.ts": ["../model/job.ts"],
  "state/apply/jobs.ts": ["../state.ts", "../../journal/event.ts"],
  "state/state.ts": ["../model/job.ts"],
  "queue/order.ts": ["../state/apply/jobs.ts", "./share.ts"],
  "queue/share.ts": [],
  "claim/rules/cover.ts": ["../../queue/share.ts"],
};

describe("the check of the order of folders", () => {
  it("lets a folder import what stands before it, on lines above or to its left", () => {
    assert.equal(upward(sound), "");
  });

  it("fails when one import is moved against the order", () => {
    assert.match(
      upward({ ...sound, "state/state.ts": ["../model/job.ts", "../queue/share.ts"] }),
      /^packages\/core\/src\/state\/state\.ts:2 imports packages\/core\/src\/queue\/share\.ts, but the list of layers has queue after state$/,
    );
    assert.match(upward({ ...sound, "queue/share.ts": ["../claim/rules/cover.ts"] }), /has claim after queue/);
    assert.match(upward({ ...sound, "model/job.ts": ["../journal/event.ts"] }), /has journal after model/);
    assert.match(upward({ ...sound, "state/apply/jobs.ts": ["../../claim/claims.ts"] }), /has claim after state/);
  });

  it("lets no folder import the files beside it, nor the package by its own name", () => {
    assert.match(upward({ "queue/order.ts": ["../index.ts"] }), /no folder may know the files beside it/);
    assert.match(upward({ "queue/order.ts": ["@tessera/core"] }), /imports packages\/core\/src\/index\.ts/);
    assert.match(upward({ "queue/order.ts": ["@tessera/core/money"] }), /imports packages\/core\/src\/index\.ts/);
    assert.equal(upward({ "queue/order.ts": ["@tessera/wire", "node:fs"] }), "");
  });

  it("lets tests import everything, and nothing but tests import what is for tests", () => {
    const all = ["../claim/claims.ts", "../testing/world.ts", "../index.ts"];
    assert.equal(upward({ "model/job.test.ts": all, "model/job.fixture.ts": all, "testing/world.ts": all }), "");
    assert.match(upward({ "claim/claims.ts": ["../testing/world.ts"] }), /for tests only/);
    assert.match(upward({ "claim/claims.ts": ["./claims.fixture.ts"] }), /for tests only/);
    assert.match(upward({ "index.ts": ["./model/job.test.ts"] }), /for tests only/);
  });

  it("finds a folder without a line, a line without a folder, and a folder listed twice", () => {
    const paths = ["index.ts", "model/a.ts", "journal/a.ts", "state/apply/a.ts", "queue/a.ts", "claim/a.ts"];
    const faults = (list, names) =>
      listFaults(
        "core",
        list,
        names.map((path) => `packages/core/src/${path}`),
      );
    assert.deepEqual(faults(layers, [...paths, "testing/world.ts"]), []);
    assert.match(faults(layers, [...paths, "novel/a.ts"]).join(), /^packages\/core\/src\/novel is in no line/);
    assert.match(faults(layers, paths.slice(0, -1)).join(), /lists the folder claim, which .* does not have/);
    assert.match(faults([...layers, ["model"]], paths).join(), /lists the folder model of core more than once/);
  });
});

describe("the check of file cycles", () => {
  const cycles = (files) =>
    fileCycles(packageOf(files)).map((group) => group.map((path) => path.slice("packages/core/src/".length)));

  it("finds none where imports only go down, also when two ways lead to one file", () => {
    assert.deepEqual(cycles(sound), []);
    assert.deepEqual(cycles({ "a.ts": ["./b.ts", "./c.ts"], "b.ts": ["./d.ts"], "c.ts": ["./d.ts"], "d.ts": [] }), []);
  });

  it("names the files of each cycle, and only those", () => {
    assert.deepEqual(
      cycles({
        "a.ts": ["./b.ts"],
        "b.ts": ["./c.ts", "./d.ts"],
        "c.ts": ["./b.ts"],
        "d.ts": ["./e/f.ts"],
        "e/f.ts": ["./g.ts"],
        "e/g.ts": ["./h.ts", "../a.ts"],
        "e/h.ts": [],
        "x.ts": ["./y.ts", "./a.ts"],
        "y.ts": ["./x.ts"],
      }),
      [
        ["a.ts", "b.ts", "c.ts", "d.ts", "e/f.ts", "e/g.ts"],
        ["x.ts", "y.ts"],
      ],
    );
  });

  it("finds a file that imports itself", () => {
    assert.deepEqual(cycles({ "a.ts": ["./a.ts"] }), [["a.ts"]]);
  });
});

describe("the layers that a document shows", () => {
  const page = [
    "# Architecture",
    "```",
    "model   not the list",
    "```",
    "```layers core",
    "model  journal     the nouns,   and what is written",
    "state              what the events say",
    "```",
    "```layers server",
    "api   HTTP",
    "```",
  ].join("\n");

  it("are read from the block of that package, without the sentences", () => {
    assert.deepEqual(layersIn(page, "core"), [["model", "journal"], ["state"]]);
    assert.deepEqual(layersIn(page, "server"), [["api"]]);
    assert.equal(layersIn(page, "wire"), undefined);
  });
});
