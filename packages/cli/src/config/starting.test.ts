import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { temporaryFolder } from "../testing/folder.ts";
import { runTess } from "../testing/terminal.ts";
import { untilStarted } from "./starting.ts";

function folderOf(t: TestContext): string {
  const folder = join(temporaryFolder(t), "data");
  mkdirSync(folder);
  return folder;
}

function announce(folder: string, pid: number, more: object = {}): void {
  writeFileSync(
    join(folder, "starting.json"),
    JSON.stringify({ pid, startedAt: null, host: hostname(), step: "installing", ...more }),
  );
}

const writeEndpoint = (folder: string, pid = process.pid) =>
  writeFileSync(join(folder, "endpoint.json"), JSON.stringify({ url: "http://127.0.0.1:1", pid }));

function deadProcess(): number {
  return spawnSync(process.execPath, ["-e", ""]).pid;
}

test("a server that is being started is waited for, and what it is at is told", async (t) => {
  const folder = folderOf(t);
  announce(folder, process.pid);
  const told: string[] = [];
  await untilStarted(folder, async (detail) => {
    if (told.push(detail) < 2) return;
    writeEndpoint(folder);
    rmSync(join(folder, "starting.json"));
  });
  assert.equal(told[0], `being started by process ${process.pid}: installing`);
});

test("an address of a server that is gone does not hide the one that is being started", async (t) => {
  const folder = folderOf(t);
  writeEndpoint(folder, deadProcess());
  announce(folder, process.pid);
  let told = 0;
  await untilStarted(folder, async () => {
    told += 1;
    writeEndpoint(folder);
  });
  assert.equal(told, 1);
});

test("a start that fails or dies ends the wait with its reason", async (t) => {
  const folder = folderOf(t);
  announce(folder, process.pid);
  await assert.rejects(
    untilStarted(folder, async () => announce(folder, process.pid, { failed: "port 7437 is in use" })),
    /did not come up: port 7437 is in use/,
  );
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
  await once(child, "spawn");
  announce(folder, child.pid!);
  await assert.rejects(
    untilStarted(folder, async () => {
      child.kill("SIGKILL");
      await once(child, "exit");
    }),
    /did not come up: it ended before it was ready/,
  );
});

test("a process id that was used again is not taken for a start", { skip: process.platform !== "linux" }, async (t) => {
  const folder = folderOf(t);
  announce(folder, process.pid, { startedAt: "1", failed: "the disk is full" });
  await assert.rejects(
    untilStarted(folder, async () => {}),
    /the last start failed: the disk is full/,
  );
});

test("without a server and without a start, tess says how to begin", async (t) => {
  const folder = folderOf(t);
  const { code, err } = await runTess(["ps", "--data", folder], { env: { HOME: "/nonexistent" } });
  assert.equal(code, 69);
  assert.match(err, new RegExp(`no Tessera server runs on ${folder}\n  start one with npm start -- --data ${folder}`));
});
