import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { temporaryFolder } from "./testing/folder.ts";
import { StandIn } from "./testing/stand-in.ts";
import { endedJob, memberOf, nodeOf } from "./testing/things.ts";

const program = fileURLToPath(new URL("main.js", import.meta.url));

function runProgram(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [program, ...args],
      { env: { PATH: process.env.PATH ?? "", ...env } },
      (_error, out, err) => {
        resolve({ code: child.exitCode ?? -1, out, err });
      },
    );
  });
}

test("tess version runs as a program and loads neither schemas nor HTTP nor YAML", async () => {
  const { code, out } = await runProgram(["version"], { NODE_DEBUG: "" });
  assert.equal(code, 0);
  assert.match(out, /^tess \d+\.\d+\.\d+ /);
  const loaded = await new Promise<string>((resolve) => {
    const check = `process.on("exit", () => console.error(process.moduleLoadList.filter((m) => /^NativeModule (http|https|crypto)$/.test(m)).join()));`;
    execFile(
      process.execPath,
      ["--import", `data:text/javascript,${encodeURIComponent(check)}`, program, "version"],
      (_error, _out, err) => resolve(err.trim()),
    );
  });
  assert.equal(loaded, "");
});

test("a reader that goes away ends tess quietly", async (t) => {
  const server = await StandIn.start(t);
  server.on("listNodes", () => ({ items: Array.from({ length: 5_000 }, (_, index) => nodeOf({ name: `n${index}` })) }));
  const child = spawn(process.execPath, [program, "get", "nodes"], {
    env: server.env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let err = "";
  child.stderr.on("data", (part) => (err += part));
  await once(child.stdout, "data");
  child.stdout.destroy();
  await once(child, "close");
  assert.equal(err, "");
});

test("SIGINT detaches a program that follows a job", async (t) => {
  const server = await StandIn.start(t);
  server.put("job_1", { state: "running", members: [memberOf(0)] });
  const child = spawn(process.execPath, [program, "wait", "job_1"], { env: server.env, stdio: "ignore" });
  while (server.watching("listJobs") === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  child.kill("SIGINT");
  const [code] = await once(child, "exit");
  assert.equal(code, 130);
});

test("the exit code of the process is the job's", async (t) => {
  const server = await StandIn.start(t);
  server.put("job_1", endedJob("failed", 7));
  assert.equal((await runProgram(["wait", "job_1"], server.env)).code, 7);
});

/** The cli beside a server package that only says what it was given. */
function echoingServer(t: TestContext): string {
  const folder = temporaryFolder(t);
  mkdirSync(join(folder, "server", "dist"), { recursive: true });
  for (const name of ["main", "admin"]) {
    writeFileSync(
      join(folder, "server", "dist", `${name}.js`),
      `console.log(JSON.stringify(["${name}", ...process.argv.slice(2)])); process.exitCode = 42;`,
    );
  }
  return folder;
}

test("server and admin hand their arguments and exit code through untouched", async (t) => {
  const { runProgram: pass } = await import("./spawn.ts");
  const folder = echoingServer(t);
  const terminal = { env: process.env, cwd: folder, stdin: process.stdin };
  for (const name of ["main", "admin"]) {
    assert.equal(await pass(join(folder, "server", "dist", `${name}.js`), ["--virtual", "4x8:H100"], terminal), 42);
  }
  assert.throws(() => pass(join(folder, "gone.js"), [], terminal), /is not there/);
});
