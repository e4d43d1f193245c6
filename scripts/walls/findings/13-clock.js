import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../../places/server.js";

const libraries = ["x86_64-linux-gnu", "aarch64-linux-gnu"].map((at) => `/usr/lib/${at}/faketime/libfaketimeMT.so.1`);
const library = libraries.find(existsSync);
const jumps = ["+1s", "-1s", "+1h", "-1h", "+20d", "-20d"];
/** Units of a GPU, as they are metered. */
const unitMsPerGpuMs = 21000n;
/** A start and an end of a process, each seen within this. */
const toleranceMs = 700;

/** A clock that can be set under a running server; the monotonic clock is left alone, as it is when root sets the time. */
function settableClock() {
  const folder = mkdtempSync(join(tmpdir(), "tess-clock-"));
  const file = join(folder, "offset");
  const set = (offset) => {
    writeFileSync(`${file}.new`, `${offset}\n`, { mode: 0o644 });
    renameSync(`${file}.new`, file);
  };
  set("+0");
  const fakes = { FAKETIME_TIMESTAMP_FILE: file, FAKETIME_NO_CACHE: "1", FAKETIME_DONT_FAKE_MONOTONIC: "1" };
  const env = { LD_PRELOAD: library, DONT_FAKE_MONOTONIC: "1", ...fakes };
  return { env, set, remove: () => rmSync(folder, { recursive: true }) };
}

/** GPU-milliseconds of a job, and how long it ran by a clock that is not set. */
async function meterOf(server, name) {
  const { json: usage } = await server.api("GET", "/v1/usage?by=job&from=60d");
  const row = usage.rows.find((each) => each.name === name);
  return row === undefined ? -1 : Number(BigInt(row.byState.running ?? 0) / unitMsPerGpuMs);
}

async function isRefused(server, token) {
  return (await server.api("GET", "/v1/whoami", undefined, token)).status === 401;
}

async function setDuringRuns({ place, openServer }) {
  if (library === undefined) return { held: true, seen: "skipped: libfaketime is not installed" };
  const clock = settableClock();
  const server = await openServer({ place, env: clock.env });
  try {
    const short = await server.api("POST", "/v1/tokens", { label: "short", expiresIn: "8s" });
    const startedAt = performance.now();
    const wrong = [];
    for (const jump of jumps) {
      const name = `run${jump.replace("+", "-plus-").replace(/^-(?=\d)/, "-minus-")}`;
      await server.tess("run", "--detach", "--gpus", "1", "--name", name, "--", "sleep 2");
      await until("it runs", 20_000, async () => (await server.tess("ps", "-o", "json")).includes('"running"'));
      clock.set(jump);
      await server.tess("wait", name);
      clock.set("+0");
      const metered = await meterOf(server, name);
      if (Math.abs(metered - 2_000) > toleranceMs) wrong.push(`${jump}: ${metered} ms of 2000`);
    }
    while (performance.now() - startedAt < 8_500) await sleep(100);
    clock.set("-20d");
    if (!(await isRefused(server, short.json.token))) wrong.push("an expired token works after -20d");
    await until("the alarm", 10_000, async () => (await server.tess("alarms", "-o", "json")).includes("behind"));
    await server.stop();
    await server.start();
    if (!(await isRefused(server, short.json.token))) wrong.push("an expired token works after a restart at -20d");
    const seen = `${jumps.join(", ")} during runs of 2 s: metered within ${toleranceMs} ms; expired stays expired, also over a restart`;
    return { held: wrong.length === 0, seen: wrong.join("; ") || seen };
  } finally {
    clock.set("+0");
    await server.close();
    clock.remove();
  }
}

/** The server is down while the clock is set back and the job ends: what its supervisor noted counts. */
async function setWhileDown({ place, openServer }) {
  if (library === undefined) return { held: true, seen: "skipped: libfaketime is not installed" };
  const clock = settableClock();
  const server = await openServer({ place, env: clock.env });
  try {
    await server.tess("run", "--detach", "--gpus", "1", "--name", "alone", "--", "sleep 4");
    await until("it runs", 20_000, async () => (await server.tess("ps", "-o", "json")).includes('"running"'));
    await server.kill();
    clock.set("-20d");
    await sleep(5_000);
    await server.start();
    await server.tess("wait", "alone");
    const metered = await meterOf(server, "alone");
    return { held: Math.abs(metered - 4_000) <= toleranceMs, seen: `ran 4000 ms, metered ${metered} ms` };
  } finally {
    clock.set("+0");
    await server.close();
    clock.remove();
  }
}

/** As the user that tries it: the library keeps what it knows in memory that belongs to that user. */
const onOne = ({ name }) => name === (process.getuid() === 0 ? "root/unshare" : "user/none");

export const checks = [
  { finding: 13, name: "the clock is set while jobs run", at: onOne, prove: setDuringRuns },
  { finding: 13, name: "the clock is set back while the server is down", at: onOne, prove: setWhileDown },
];
