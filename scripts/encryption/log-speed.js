import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { logSealFor, logSealOf } from "../../packages/content/dist/index.js";
import { LineCutter, LogWriter, maskerOf, readLog } from "../../packages/engine/dist/log.js";

/**
 * `npm run bench:logs [MB]`: what sealing costs the log of a job. A process writes lines to a pipe, which are cut, masked and
 * kept as a supervisor does, sealed and plain by turns, without the pace at which a supervisor takes output in.
 */
const bytes = Number(process.argv[2] ?? 100) * 1_000_000;
const rounds = 3;
const line = "step 123456 loss 2.3456 lr 0.000123 tokens/s 45678 memory 71.2 GiB grad 0.98 epoch 3";
/** As fast as a pipe takes it, and line by line, each flushed by itself as Python does with -u. */
const writers = {
  "full pipes": ["/bin/sh", ["-c", `yes '${line}' | head -c ${bytes}`], bytes],
  "line by line": [
    process.execPath,
    ["-e", `const {writeSync}=require("fs");for(let i=0;i<${bytes / 10 / 90};i++)writeSync(1,"${line}\\n")`],
    bytes / 10,
  ],
};
const key = { id: randomBytes(8).toString("hex"), key: randomBytes(32) };

for (const [name, [program, args, size]] of Object.entries(writers)) {
  const found = { plain: [], sealed: [] };
  for (let round = 0; round < rounds; round++)
    for (const kind of ["plain", "sealed"]) found[kind].push(await run(kind, program, args));
  const middle = (kind, field) => found[kind].map((each) => each[field]).sort((a, b) => a - b)[rounds >> 1];
  const row = (kind) => {
    const seconds = middle(kind, "seconds");
    const speed = `${(size / 1e6 / seconds).toFixed(0)} MB/s`.padStart(9);
    const cpu = `${((middle(kind, "cpu") * 1e9) / size).toFixed(1)} ms CPU a MB`.padStart(18);
    const disk = `${(middle(kind, "disk") / 1e6).toFixed(1)} MB`.padStart(9);
    return `${kind.padEnd(7)}${speed}${cpu}${disk}, read in ${middle(kind, "read").toFixed(2)} s`;
  };
  console.log(`${name}, ${size / 1e6} MB:\n  ${row("plain")}\n  ${row("sealed")}`);
  for (const field of ["seconds", "cpu", "read"])
    console.log(`  ${field}: sealed takes ${(middle("sealed", field) / middle("plain", field)).toFixed(2)} of plain`);
}

async function run(kind, program, args) {
  const folder = mkdtempSync(join(tmpdir(), "tessera-log-speed-"));
  const seal = kind === "sealed" ? logSealOf([key], "lease-1") : undefined;
  const writer = new LogWriter(folder, 4e9, 4, seal);
  const cutter = new LineCutter(maskerOf(["a-secret-of-the-job"]));
  const before = process.cpuUsage();
  const begun = performance.now();
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
  child.stdout.on("data", (part) => writer.write("stdout", Date.now(), cutter.push(part)));
  await new Promise((closed) => child.stdout.once("close", closed));
  writer.close();
  const { user, system } = process.cpuUsage(before);
  const seconds = (performance.now() - begun) / 1000;
  const disk = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  const from = performance.now();
  let lines = 0;
  const find = async (id) => (id === key.id ? key : undefined);
  for await (const _ of readLog(folder, 0, {}, AbortSignal.abort(), (start) => logSealFor(start, find, "lease-1")))
    lines++;
  if (lines === 0) throw new Error("nothing was kept");
  const read = (performance.now() - from) / 1000;
  rmSync(folder, { recursive: true });
  return { seconds, cpu: (user + system) / 1e6, disk, read };
}
