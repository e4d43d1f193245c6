import assert from "node:assert/strict";
import { mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { needsConsole, signatureOfConsole } from "./console.js";
import { temporaryFolder } from "./temporary.js";

/** A clone whose console has been built. */
function builtClone(t) {
  const root = temporaryFolder(t);
  const write = (path, text = "") => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  write("packages/web/vite.config.js");
  write("packages/web/package.json", "{}");
  write("packages/web/src/main.tsx");
  write("packages/web/src/headless/shots.ts");
  write("packages/web/src/format/format.test.ts");
  write("packages/web/public/favicon.svg");
  write("packages/web/bundle/index.html");
  write("packages/wire/src/addresses.ts");
  write("packages/wire/src/reasons.ts");
  write("packages/core/src/money/money.ts");
  write("packages/server/src/main.ts");
  write(".cache/console", signatureOfConsole(root));
  return { root, touch: (path) => utimesSync(join(root, path), 1, 1) };
}

describe("whether the console is built again", () => {
  it("is not, right after it was, nor when the server, a test or a browser program changes", (t) => {
    const { root, touch } = builtClone(t);
    for (const path of ["server/src/main.ts", "web/src/headless/shots.ts", "web/src/format/format.test.ts"])
      touch(`packages/${path}`);
    assert.equal(needsConsole(root), false);
  });

  it("is when something changes that goes into it, and when it is gone", (t) => {
    const parts = ["web/src/main.tsx", "web/vite.config.js", "web/public/favicon.svg", "wire/src/addresses.ts"];
    for (const path of [...parts, "wire/src/reasons.ts", "core/src/money/money.ts"]) {
      const { root, touch } = builtClone(t);
      touch(`packages/${path}`);
      assert.equal(needsConsole(root), true, path);
    }
    const { root } = builtClone(t);
    rmSync(join(root, "packages/web/bundle"), { recursive: true });
    assert.equal(needsConsole(root), true);
  });

  it("is not where there is no console", (t) => {
    const { root } = builtClone(t);
    rmSync(join(root, "packages/web"), { recursive: true });
    assert.equal(needsConsole(root), false);
  });
});
