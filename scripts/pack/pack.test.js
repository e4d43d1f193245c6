import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { root } from "../launch/root.js";
import { temporaryFolder } from "../launch/temporary.js";
import { installPacked, packCli } from "./pack.js";

const server = join(root, "packages/server/dist/main.js");
const absent = existsSync(server) ? false : "the server is not built";

test("the packed tess works in an empty folder, with nothing of the clone around it", { skip: absent }, async (t) => {
  const folder = temporaryFolder(t);
  const file = await packCli(root, join(folder, "packed"));
  const tess = await installPacked(file, join(folder, "laptop"));
  const manifest = JSON.parse(readFileSync(join(folder, "laptop/node_modules/@tessera/cli/package.json"), "utf8"));
  assert.equal(manifest.dependencies, undefined);
  assert.equal(existsSync(join(folder, "laptop/node_modules/@tessera/wire")), false);

  const data = join(folder, "data");
  const child = spawn(
    process.execPath,
    [server, "--data", data, "--port", "0", "--virtual", "1x2:H100", "--free-space-min", "1"],
    { stdio: ["ignore", "ignore", "pipe"], env: { ...process.env, TESSERA_ROOT: undefined } },
  );
  t.after(async () => {
    if (child.exitCode !== null) return;
    child.kill("SIGTERM");
    await once(child, "exit");
  });
  let said = "";
  for await (const part of child.stderr.iterator({ destroyOnReturn: false })) {
    said += part;
    if (said.includes("ready at")) break;
  }
  child.stderr.resume();
  const { url } = JSON.parse(readFileSync(join(data, "endpoint.json"), "utf8"));
  const work = join(folder, "laptop");
  writeFileSync(join(work, "job.yaml"), "name: hello\ngpus: 1\nrun: echo hello from $TESS_JOB_NAME\n");
  const env = { PATH: process.env.PATH, HOME: work };
  const run = (...args) => promisify(execFile)(process.execPath, [tess, ...args], { cwd: work, env });

  assert.match((await run("version")).stdout, new RegExp(`^tess ${manifest.version} `));
  await run("login", url, "--token-file", join(data, "owner.token"));
  const ran = await run("run", "job.yaml");
  assert.equal(ran.stdout, "hello from hello\n");
  assert.match((await run("ps", "-a")).stdout, /hello .* succeeded/);
  assert.match((await run("ps", "-a", "-o", "yaml")).stdout, /name: hello/);
  await assert.rejects(run("server"), ({ stderr }) => /not part of this installation/.test(stderr));
});
