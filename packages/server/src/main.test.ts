import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { fileURLToPath } from "node:url";

it("a server whose port is in use names it, and where the token of its first start is kept", async () => {
  const data = mkdtempSync(join(tmpdir(), "tessera-port-"));
  const other = createServer().listen(0, "127.0.0.1");
  try {
    await new Promise((resolve) => other.once("listening", resolve));
    const { port } = other.address() as AddressInfo;
    const program = fileURLToPath(new URL("./main.js", import.meta.url));
    const args = [program, "--data", data, "--port", String(port), "--simulated", "1x1:H100", "--free-space-min", "0"];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
    assert.equal(status, 69);
    assert.ok(stderr.includes(`port ${port} on 127.0.0.1 is in use`), stderr);
    const [, file] = /shown again: cat (\S+)/.exec(stderr) ?? assert.fail(stderr);
    assert.match(readFileSync(file!, "utf8"), /^tess_/);
  } finally {
    other.close();
    rmSync(data, { recursive: true, force: true });
  }
});
