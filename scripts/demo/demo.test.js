import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { temporaryFolder } from "../launch/temporary.js";

const program = fileURLToPath(new URL("main.js", import.meta.url));
const whatIf = fileURLToPath(new URL("../../packages/what-if/dist/main.js", import.meta.url));
const administration = fileURLToPath(new URL("../../packages/server/dist/admin.js", import.meta.url));

async function demo(args, onText = () => {}) {
  const child = spawn(process.execPath, [program, ...args], { env: { ...process.env, NO_COLOR: "1" } });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk) => {
      text += chunk;
      onText(text, child);
    });
  }
  const [code] = await once(child, "close");
  return { code, text };
}

/** What another program says of what the demo left behind. */
function answerOf(path, ...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [path, ...args], { encoding: "utf8" });
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout);
}

/** A server takes this file away as the last thing before it ends by itself. */
const wasClosed = (data) => !existsSync(join(data, "endpoint.json"));

test("the demo tells the whole story and leaves a sound journal behind", async (t) => {
  const data = join(temporaryFolder(t), "data");
  const { code, text } = await demo(["--fast", "--data", data]);
  assert.equal(code, 0, text);
  for (const line of [
    /\$ tess run pretrain\.yaml/,
    /\[3\] rank 3 of 4 on virtual-3, master /,
    /probe waits because .*lab\/vision may hold 24 GPUs and holds 24/,
    /probe \S+ cancel asked/,
    /render running.*sweep +\S+ +waiting/s,
    /attempt 2\n[^$]*flaky failed .*code 7/,
    /tessera: ready at .*tessera: ready at /s,
    /eval +\S+ +succeeded/,
    /Fleet: .* balanced/,
    /sound: \d+ rows/,
    /INV-academy-000001 +academy +\d{4}-\d\d +chargeback +issued/,
    /sound: INV-academy-000001\n.*computed again byte for byte/s,
  ]) {
    assert.match(text, line);
  }
  assert.ok(existsSync(join(data, "store", "store.sqlite")), "the journal stays");
  assert.ok(wasClosed(data), "the server was stopped");
  const verified = answerOf(administration, "verify", "--data", data, "-o", "json");
  const { differences, sameState, batches, stateHash } = answerOf(whatIf, "--data", data, "-o", "json").replay;
  assert.ok(batches > 20);
  assert.equal(stateHash, verified.stateHash, "the state that the journal is found sound with");
  assert.deepEqual({ differences, sameState }, { differences: 0, sameState: true }, "[S26] its inputs alone decide it");
});

test("a demo that is interrupted stops its jobs and its server", async (t) => {
  const data = join(temporaryFolder(t), "data");
  let interrupted = false;
  const { code, text } = await demo(["--fast", "--data", data], (text, child) => {
    if (interrupted || !text.includes("$ tess explain probe")) return;
    interrupted = true;
    child.kill("SIGINT");
  });
  assert.equal(code, 130, text);
  assert.match(text, /the demo was stopped, and its jobs with it/);
  assert.ok(wasClosed(data), "the server was stopped");
});

test("a folder that no demo made is not wiped", async (t) => {
  const data = temporaryFolder(t);
  mkdirSync(join(data, "store"));
  writeFileSync(join(data, "store", "precious"), "kept");
  const { code, text } = await demo(["--fast", "--data", data]);
  assert.equal(code, 1, text);
  assert.match(text, /no demo made it/);
  assert.equal(readFileSync(join(data, "store", "precious"), "utf8"), "kept");
});
