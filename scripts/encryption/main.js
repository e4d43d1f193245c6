import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { gunzipSync, inflateSync, zstdDecompressSync } from "node:zlib";

/**
 * Rotates data keys and the master key while jobs come and go, waits until the old keys are destroyed, reads everything
 * again, shreds nothing, and then looks for canaries in the data folder as a thief without the master key would.
 */
const root = process.env.TESSERA_ROOT ?? process.cwd();
const node = process.execPath;
const json = process.argv.includes("--json");
const seconds = Number(process.argv[process.argv.indexOf("--seconds") + 1]) || 45;
const folder = mkdtempSync(join(tmpdir(), "tessera-encryption-"));
const data = join(folder, "data");
const master = join(folder, "elsewhere", "master.key");
const project = join(folder, "project");
const say = (text) => json || console.log(text);

const canaries = {
  secret: "canary-secret-5d1f",
  log: "canary-log-71c2",
  code: "canary-code-a0e4",
  output: "canary-output-3b97",
  /** In the command, which the journal shows. */
  control: "canary-command-c8d0",
};

function run(program, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(node, [join(root, program), ...args], { cwd: folder, ...options });
    let out = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => (out += part));
    child.stdin.end(options.input ?? "");
    child.once("close", (code) => resolve({ code, out }));
  });
}
const tess = (args, options) => run("packages/cli/dist/main.js", ["--data", data, ...args], options);
const admin = (...args) =>
  run("packages/server/dist/admin.js", [...args, "--data", data, "--master-key", master, "-o", "json"]);
const must = async (what, promise) => {
  const done = await promise;
  if (done.code !== 0) throw new Error(`${what}: ${done.out}`);
  return done.out;
};

async function startServer() {
  const args = [
    "--data",
    data,
    "--port",
    "0",
    "--virtual",
    "1x8:H100",
    "--free-space-min",
    "1",
    "--master-key",
    master,
  ];
  const child = spawn(node, [join(root, "packages/server/dist/main.js"), ...args], { cwd: folder });
  let said = "";
  await new Promise((resolve, reject) => {
    child.stderr.on("data", (part) => {
      said += part;
      if (said.includes("ready at")) resolve();
    });
    child.once("exit", () => reject(new Error(`the server ended: ${said}`)));
  });
  return {
    said: () => said,
    close: () => new Promise((resolve) => child.once("exit", resolve) && child.kill("SIGTERM")),
  };
}

/** In the command the words are hidden from a search, so that what is found is a log or an output and not the journal. */
const hidden = (word) => `$(echo ${Buffer.from(word).toString("base64")} | base64 -d)`;

async function submit(number) {
  const file = join(project, `job-${number}.yaml`);
  const run = `: ${canaries.control}; echo ${hidden(canaries.log)}; test -n "$TOKEN" && echo with-secret; sleep 1; echo ${hidden(canaries.output)} > out.txt; cat train.py > /dev/null`;
  writeFileSync(
    file,
    JSON.stringify({
      name: `job-${number}`,
      run,
      gpus: 1,
      workdir: ".",
      secrets: ["TOKEN"],
      outputs: { result: "out.txt" },
    }),
  );
  const out = await must("submit", tess(["run", file, "--detach", "-o", "name"], { cwd: project }));
  return out.trim().split("\n").at(-1);
}

async function check(job) {
  const log = await tess(["logs", job]);
  const to = join(folder, "copied");
  rmSync(to, { force: true, recursive: true });
  const copied = await tess(["cp", `${job}:out.txt`, to]);
  const output = copied.code === 0 ? readFileSync(to, "utf8") : "";
  return log.out.includes(canaries.log) && log.out.includes("with-secret") && output.includes(canaries.output);
}

/** Everything in a file, also what is compressed in it. */
function* formsOf(bytes) {
  yield bytes;
  for (const open of [gunzipSync, inflateSync, zstdDecompressSync]) {
    try {
      yield open(bytes);
    } catch {} // it is no such file
  }
}

function find(places) {
  const found = Object.fromEntries(Object.keys(canaries).map((name) => [name, []]));
  let files = 0;
  for (const place of places) {
    for (const entry of readdirSync(place, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      files += 1;
      const path = join(entry.parentPath, entry.name);
      for (const form of formsOf(readFileSync(path)))
        for (const [name, word] of Object.entries(canaries)) if (form.includes(word)) found[name].push(path);
    }
  }
  return { files, found };
}

async function main() {
  mkdirSync(project, { recursive: true });
  mkdirSync(join(folder, "elsewhere"), { mode: 0o700 });
  writeFileSync(join(project, "train.py"), `# ${canaries.code}\n`);
  let server = await startServer();
  await must("secret", tess(["secret", "set", "TOKEN", "--account", "local"], { input: canaries.secret }));
  const before = JSON.parse(await must("keys", admin("key", "get")));
  const jobs = [await submit(0), await submit(1)];
  say("rotating the data keys and the master key while jobs come and go");
  await must("rotate", admin("key", "rotate", "--all"));
  await must("rotate", admin("key", "rotate", "--master"));
  const all = JSON.parse(await must("keys", admin("key", "get")));
  const old = all.keys.filter(({ seals, of }) => !seals && of !== "platform").map(({ id }) => id);
  const startedAt = Date.now();
  for (let number = 2; Date.now() - startedAt < seconds * 1000; number += 1) {
    jobs.push(await submit(number));
    if (number === 4) {
      await server.close(); // a restart in the middle of it
      server = await startServer();
    }
  }
  for (const job of jobs) await tess(["wait", job]);
  let left = old;
  for (let tries = 0; tries < 90 && left.length > 0; tries += 1) {
    await sleep(1_000);
    const now = JSON.parse(await must("keys", admin("key", "get")));
    left = old.filter((id) => now.keys.some((key) => key.id === id));
  }
  say(`${old.length - left.length} of ${old.length} old data keys are destroyed`);
  const unreadable = [];
  for (const job of jobs) if (!(await check(job))) unreadable.push(job);
  const after = JSON.parse(await must("keys", admin("key", "get")));
  const verified = JSON.parse(await must("verify", admin("verify")));
  await must("journal", admin("journal", "export", join(data, "journal.jsonl")));
  await server.close();
  const { files, found } = find([data]);
  const { control, ...stolen } = found;
  const held =
    old.length > 0 &&
    left.length === 0 &&
    unreadable.length === 0 &&
    before.master !== after.master &&
    verified.sound &&
    control.length > 0 && // the search finds what is there
    Object.values(stolen).every((paths) => paths.length === 0);
  const result = {
    held,
    jobs: jobs.length,
    oldKeys: old.length,
    destroyed: old.length - left.length,
    unreadable,
    masterRotated: before.master !== after.master,
    journalSound: verified.sound,
    filesSearched: files,
    found: stolen,
  };
  console.log(json ? JSON.stringify(result) : JSON.stringify(result, null, 2));
  if (!held) {
    if (!json) console.log(server.said());
    process.exitCode = 1;
  }
}

try {
  await main();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
