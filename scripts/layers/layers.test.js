import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { root } from "../launch/root.js";
import { checkManifest, checkSource, needless, undeclared } from "./check.js";
import { folderFaults, packageFaults, packageNames, shownLayers } from "./repository.js";
import { layered } from "./rules.js";

describe("dependency direction of this repository", () => {
  for (const name of packageNames(root)) {
    it(`holds in packages/${name}`, () => assert.deepEqual(packageFaults(root, name), []));
  }
  for (const [name, layers] of Object.entries(layered)) {
    it(`holds between the folders of packages/${name}, without a cycle of files`, () => {
      assert.deepEqual(folderFaults(root, name, layers), { list: [], upward: [], cycles: [] });
    });
    it(`is shown by ARCHITECTURE.md for packages/${name} as it is checked`, () => {
      assert.deepEqual(shownLayers(root, name), layers);
    });
  }
});

describe("the check of dependency direction", () => {
  const faults = (path, source) => checkSource(path, source).join("\n");

  it("finds a package that may not be known, however it is imported", () => {
    assert.match(
      faults("packages/cli/src/run.ts", 'import { decide } from "@tessera/core";'),
      /^packages\/cli\/src\/run\.ts:1 imports @tessera\/core, but cli may know only: wire$/,
    );
    assert.match(
      faults("packages/core/src/a.ts", '\nexport * from "@tessera/wire";'),
      /a\.ts:2 imports @tessera\/wire/,
    );
    assert.match(faults("packages/wire/src/a.ts", 'import type {\n A,\n} from "@tessera/server";'), /@tessera\/server/);
    assert.match(faults("packages/sim/src/a.ts", 'await import("@tessera/cli");'), /@tessera\/cli/);
    assert.match(faults("packages/engine-slurm/src/a.ts", 'import "@tessera/server";'), /only: engine, core/);
  });

  it("lets through what may be known, a package's own name and its own files", () => {
    assert.equal(faults("packages/cli/src/run.ts", 'import { routes } from "@tessera/wire";'), "");
    assert.equal(
      faults("packages/engine-slurm/src/a.test.ts", 'import { describeEngine } from "@tessera/engine/suite";'),
      "",
    );
    assert.equal(faults("packages/core/src/journal/a.ts", 'import { b } from "../model/b.ts";'), "");
  });

  it("keeps the checker of decision logs apart from the scheduler", () => {
    const path = "packages/sim/src/check/replay.ts";
    assert.match(faults(path, 'import { decide } from "@tessera/core";'), /shares no code with the scheduler/);
    assert.match(faults(path, 'import { run } from "../openb/run.ts";'), /shares no code with the scheduler/);
    assert.equal(faults(path, 'import { readTable } from "../trace/csv.ts";'), "");
  });

  it("lets only main.ts and tests of the server name the engines", () => {
    const source = 'import { LocalEngine } from "@tessera/engine-local";';
    assert.equal(faults("packages/server/src/main.ts", source), "");
    assert.equal(faults("packages/server/src/flow/bind.test.ts", source), "");
    assert.match(faults("packages/server/src/flow/bind.ts", source), /imports @tessera\/engine-local/);
  });

  it("finds a relative import that leaves its package", () => {
    assert.match(faults("packages/cli/src/a.ts", 'import "../../core/src/index.ts";'), /reaches out of its package/);
  });

  it("keeps the oracle and the scheduler apart, the nouns excepted", () => {
    const path = "packages/oracle/src/take.ts";
    assert.equal(faults(path, 'import "./world.ts"; import type { Quota } from "@tessera/core/model";'), "");
    assert.match(faults(path, 'import { shareOf } from "@tessera/core";'), /shares no code with the scheduler/);
    assert.match(faults("packages/oracle/src/take.test.ts", 'import "@tessera/core";'), /shares no code/);
    assert.match(
      faults("packages/core/src/schedule/pass.ts", 'import "@tessera/oracle";'),
      /core may know only: nothing/,
    );
  });

  it("lets the verifier import nothing but its own files and node", () => {
    const path = "packages/verifier/src/journal.ts";
    assert.equal(faults(path, 'import "./tree.ts"; import { createHash } from "node:crypto";'), "");
    for (const other of ["@tessera/core", "@tessera/wire/history", "commander"])
      assert.match(faults(path, `import "${other}";`), /the verifier imports nothing but/);
    assert.match(checkManifest("verifier", { dependencies: { commander: "1" } }).join(), /verifier depends on nothing/);
  });

  it("keeps core free of every module, but not its tests", () => {
    assert.match(faults("packages/core/src/a.ts", 'import { readFileSync } from "node:fs";'), /core imports nothing/);
    assert.match(faults("packages/core/src/a.ts", 'import fc from "fast-check";'), /core imports nothing/);
    assert.equal(faults("packages/core/src/a.test.ts", 'import { it } from "node:test";'), "");
  });

  for (const use of [
    "const now = Date.now();",
    "const now = new Date(0);",
    "const dice = Math.random();",
    "setTimeout(act, 5);",
    "setInterval(act, 5);",
    "setImmediate(act);",
    "performance.now();",
    "process.env.HOME;",
    "crypto.randomUUID();",
    "names.sort((a, b) => a.localeCompare(b));",
    "new WeakRef(lease);",
    `const text = \`at \${Date.now()}\`;`,
  ]) {
    it(`forbids in core, with the reason: ${use}`, () => {
      assert.match(
        faults("packages/core/src/a.ts", `const a = 1;\n${use}`),
        /^packages\/core\/src\/a\.ts:2 uses .*, but .+/,
      );
      assert.equal(faults("packages/server/src/a.ts", use), "");
      assert.equal(faults("packages/core/src/a.test.ts", use), "");
    });
  }

  it("is not misled by comments, strings, patterns or names that only look alike", () => {
    const innocent = [
      "// Date.now() is not used here",
      "/* import x from '@tessera/server';\n process */",
      'const hint = "call Date.now() from \\"@tessera/server\\"";',
      `const shape = \`process \${name} { Math.random() }\`;`,
      "const pattern = /['\"`]process/g; const half = total / 2 / parts;",
      'const bytes = Buffer.from("@tessera/server"); lists.import("yaml");',
      "const updatedDate = row.process; lease.performance = row.crypto;",
    ].join("\n");
    assert.equal(faults("packages/core/src/a.ts", innocent), "");
  });

  it("finds what package.json must not depend on", () => {
    assert.deepEqual(checkManifest("core", { dependencies: {} }), []);
    assert.match(checkManifest("core", { dependencies: { yaml: "1" } })[0], /core depends on nothing/);
    assert.deepEqual(checkManifest("core", { devDependencies: { "fast-check": "4" } }), []);
    assert.match(checkManifest("cli", { dependencies: { "@tessera/server": "1" } })[0], /may only on: wire/);
    assert.deepEqual(checkManifest("server", { dependencies: { "@tessera/engine-local": "1" } }), []);
    assert.throws(() => checkManifest("novel", { dependencies: { "@tessera/core": "1" } }), /no row in/);
  });

  it("finds an import that package.json does not name", () => {
    const manifest = { name: "@tessera/server", dependencies: { pg: "8" }, devDependencies: { "fast-check": "4" } };
    const check = (path, source) => undeclared(`packages/server/src/${path}`, source, manifest);
    assert.deepEqual(check("a.ts", 'import pg from "pg"; import "node:fs"; import "./b.ts";'), []);
    assert.match(check("a.ts", 'import yaml from "yaml";')[0], /imports yaml/);
    assert.match(check("a.ts", 'import fc from "fast-check";')[0], /imports fast-check/);
    assert.deepEqual(check("a.test.ts", 'import fc from "fast-check";'), []);
    assert.match(check("a.test.ts", 'import yaml from "yaml";')[0], /imports yaml/);
  });

  it("finds a dependency that only tests import", () => {
    const sources = new Map([
      ["packages/server/src/a.ts", 'import pg from "pg";'],
      ["packages/server/src/a.test.ts", 'import fc from "fast-check";'],
    ]);
    const faults = (dependencies) => needless("server", sources, { dependencies });
    assert.deepEqual(faults({ pg: "8" }), []);
    assert.match(faults({ pg: "8", "fast-check": "4" }).join(), /needs fast-check at most as one of its dev/);
    assert.match(faults({ yaml: "2" }).join(), /needs yaml at most/);
  });
});
