import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { root } from "../launch/root.js";
import { atRunTime, inDevelopment, unnamed } from "./licences.js";
import { chosenPackages, lockedPackages } from "./lock.js";
import { sbom } from "./sbom.js";

const locked = lockedPackages(root);

test("every package from elsewhere has a licence that allows its use", () => {
  const bad = locked.filter(
    ({ name, license = unnamed[name], dev }) => !(dev ? inDevelopment : atRunTime).has(license),
  );
  assert.deepEqual(bad, []);
});

test("every package from elsewhere is held to its bytes", () => {
  assert.deepEqual(
    locked.filter(({ integrity }) => !/^sha512-/.test(integrity ?? "")),
    [],
  );
});

test("nothing that is handed on has an install script, and none is ever run", () => {
  assert.deepEqual(
    locked.filter(({ dev, hasInstallScript }) => hasInstallScript && !dev),
    [],
  );
  assert.match(readFileSync(join(root, "scripts/launch/install.js"), "utf8"), /"--ignore-scripts"/);
});

test("docs/dependencies.md lists what is needed at run time, and nothing else", () => {
  const page = readFileSync(join(root, "docs/dependencies.md"), "utf8");
  const rows = [...page.matchAll(/^\| `([^`]+)` \| ([^|]+) \|/gm)].map(([, name, users]) => [name, users.trim()]);
  const chosen = [...chosenPackages(root)].map(([name, users]) => [name, users.join(", ")]);
  assert.deepEqual(rows, chosen);
});

test("the SBOM names every package that is handed on, with version and hash", () => {
  const { bomFormat, metadata, components } = sbom();
  assert.equal(bomFormat, "CycloneDX");
  assert.equal(metadata.component.name, "tessera");
  const named = new Map(components.map((component) => [`${component.name}@${component.version}`, component]));
  for (const name of chosenPackages(root).keys()) {
    const { version } = locked.find((each) => each.name === name);
    const component = named.get(`${name}@${version}`);
    assert.ok(component, `${name}@${version}`);
    assert.ok(component.hashes?.length > 0, `${name} has no hash`);
  }
});
