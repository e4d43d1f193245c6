import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { verify } from "./flow/project/verify.ts";
import { openFrozenReader } from "./store/index.ts";

const program = fileURLToPath(new URL("./main.js", import.meta.url));

describe("a server whose disk is full", () => {
  let disk: string;
  let child: ChildProcess | undefined;
  let said: string[] = [];
  let mounted = false;
  beforeEach(() => {
    disk = mkdtempSync(join(tmpdir(), "tessera-disk-"));
  });
  afterEach(async () => {
    if (child?.exitCode === null) {
      child.kill("SIGKILL");
      await new Promise((resolve) => child!.once("exit", resolve));
    }
    if (mounted) execFileSync("umount", [disk]);
    rmSync(disk, { recursive: true, force: true });
  });
  const data = () => join(disk, "data");

  async function start(): Promise<string> {
    said = [];
    const args = [program, "--data", data(), "--port", "0", "--simulated", "1x4:H100", "--free-space-min", "0"];
    child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "pipe"] });
    return new Promise((resolve, reject) => {
      child!.once("exit", () => reject(new Error(said.join("\n"))));
      createInterface(child!.stderr!).on("line", (line) => {
        said.push(line);
        const url = /ready at (http:\S+)/.exec(line)?.[1];
        if (url !== undefined) resolve(url);
      });
    });
  }

  /** Fills the disk to its last block. */
  function fill(name: string): void {
    const file = openSync(join(disk, name), "w");
    try {
      for (const bytes of [1 << 20, 1 << 12]) {
        const block = Buffer.alloc(bytes);
        try {
          for (;;) writeSync(file, block);
        } catch {} // full
      }
    } finally {
      closeSync(file);
    }
  }

  it("keeps reading and cancelling, refuses the rest with 507, and recovers by itself", async (test) => {
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=96m", "tmpfs", disk], { stdio: "ignore" });
    } catch {
      return test.skip("mounting a small disk needs root");
    }
    mounted = true;
    let url = await start();
    const token = readFileSync(join(data(), "owner.token"), "utf8").trim();
    const ask = async (method: string, path: string, body?: object) => {
      const headers = { authorization: `Bearer ${token}`, ...(body && { "content-type": "application/json" }) };
      const answer = await fetch(`${url}/v1${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
      return { status: answer.status, body: (await answer.json()) as { id: string; code: string; detail: string } };
    };
    const submit = () => ask("POST", "/jobs", { project: "local", run: "sleep 600", gpus: 1 });
    const [first, second, third, fourth] = [await submit(), await submit(), await submit(), await submit()];
    for (const { status } of [first, second, third, fourth]) assert.equal(status, 201);
    while (!existsSync(join(data(), "store", "store.reserve"))) await sleep(20);

    fill("ballast");
    const [cancelled, refused] = await Promise.all([ask("POST", `/jobs/${fourth.body.id}/cancel`), submit()]);
    assert.ok(cancelled.status < 300, "what found no room is written in the reserve, unless it is new");
    assert.deepEqual([refused.status, refused.body.code], [507, "no-space"]);
    assert.match(refused.body.detail, /The disk of the control plane is (nearly )?full: /);
    assert.equal((await ask("GET", `/jobs/${first.body.id}`)).status, 200);
    assert.ok((await ask("POST", `/jobs/${first.body.id}/cancel`)).status < 300, "cancelled in the reserve");

    fill("more ballast");
    let last = { status: 0, body: { code: "" } };
    for (let i = 0; i < 200 && last.status !== 507; i++) last = await ask("POST", `/jobs/${second.body.id}/cancel`);
    last = await ask("POST", "/accounts", { path: "other" });
    assert.deepEqual([last.status, last.body.code], [507, "no-space"]);
    assert.equal((await ask("GET", `/jobs/${third.body.id}`)).status, 200);
    assert.equal(child!.exitCode, null);

    child!.kill("SIGKILL");
    await new Promise((resolve) => child!.once("exit", resolve));
    url = await start();
    assert.equal((await ask("GET", `/jobs/${third.body.id}`)).status, 200, "it starts while the disk is full");
    const endpoint = JSON.parse(readFileSync(join(data(), "endpoint.json"), "utf8")) as { readonly url: string };
    assert.equal(endpoint.url, url, "and tess finds it");

    rmSync(join(disk, "ballast"));
    rmSync(join(disk, "more ballast"));
    let again = await submit();
    while (again.status === 507) {
      await sleep(100);
      again = await submit();
    }
    assert.equal(again.status, 201);
    child!.kill("SIGTERM");
    await new Promise((resolve) => child!.once("exit", resolve));
    assert.equal(child!.exitCode, 0, said.join("\n"));
    const reader = await openFrozenReader({ dir: join(data(), "store") });
    assert.equal((await verify(reader)).sound, true);
    await reader.close();
  });
});
