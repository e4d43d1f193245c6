import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { root } from "../launch/root.js";

const startMsMax = 60_000;

/** A real server with a data folder of its own. */
export async function startServer(fleet = ["--virtual", "4x8:H100"]) {
  const data = mkdtempSync(join(tmpdir(), "tess-fuzz-"));
  const program = join(root, "packages/server/dist/main.js");
  const child = spawn(process.execPath, [program, "--data", data, "--port", "0", ...fleet], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.on("data", (part) => {
    said = (said + part).slice(-100_000);
  });
  const startedAt = performance.now();
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}: ${said}`);
    if (said.includes("ready at")) break;
    if (performance.now() - startedAt > startMsMax) throw new Error(`the server was not ready in time: ${said}`);
    await sleep(20);
  }
  const { url, tokenFile } = JSON.parse(readFileSync(join(data, "endpoint.json"), "utf8"));
  return {
    url,
    data,
    ownerToken: readFileSync(tokenFile, "utf8").trim(),
    alive: () => child.exitCode === null && child.signalCode === null,
    said: () => said,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGTERM");
      await once(child, "exit");
    },
    remove: () => rmSync(data, { recursive: true, force: true }),
  };
}

/** Whether the journal, its replay and its projections are sound: `tess admin verify`. */
export async function verify(data) {
  const admin = spawn(process.execPath, [
    join(root, "packages/server/dist/admin.js"),
    "verify",
    "--data",
    data,
    "--json",
  ]);
  let out = "";
  admin.stdout.on("data", (part) => {
    out += part;
  });
  admin.stderr.resume();
  const [code] = await once(admin, "close");
  return code === 0 && JSON.parse(out).sound === true;
}
