import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { openStore, type StoreConfig } from "@tessera/server";
import { startTestPostgres } from "@tessera/server/testing/postgres";
import { openUnsyncedSqliteStore } from "@tessera/server/testing/unsynced-store";
import { countOf, parseCall, wordOf } from "../call.ts";
import { spreadOf } from "./figures.ts";
import { fillStore } from "./fill.ts";
import type { Recovery } from "./recover-once.ts";

const usage = `npm run bench:recover -- [options]: how fast a journal becomes a state again, from its beginning and from a snapshot

  --events N   How many events the journal has (default 1000000)
  --store S    sqlite or postgres (default sqlite)
  --rounds N   How often each is measured, in turn (default 5)
  --seed N     Where chance begins: what the journal tells of (default 1)
  --json       Print the report on one line

Exit codes: 0 both goals are met, 1 otherwise, 2 wrong usage.`;
const goal = { replayEventsPerSecond: 200_000, snapshotStartMs: 2_000 };
/** As often as a server does. */
const snapshotEveryEvents = 100_000;

const values = parseCall(usage, {
  events: { type: "string", default: "1000000" },
  store: { type: "string", default: "sqlite" },
  rounds: { type: "string", default: "5" },
  seed: { type: "string", default: "1" },
  json: { type: "boolean", default: false },
});
const events = countOf(usage, "--events", values.events);
const rounds = countOf(usage, "--rounds", values.rounds);
const seed = countOf(usage, "--seed", values.seed);
const store = wordOf(usage, "--store", values.store, ["sqlite", "postgres"]);
const say = (text: string) => console.error(text);

const dir = mkdtempSync(join(tmpdir(), "tessera-recover-"));
const postgres = store === "postgres" ? await startTestPostgres() : undefined;
try {
  if (store === "postgres" && postgres === undefined) throw new Error("there is no PostgreSQL to measure");
  const place: StoreConfig = postgres === undefined ? { dir } : { url: await postgres.freshDatabase() };
  const empty = await ("dir" in place ? openUnsyncedSqliteStore(place.dir) : openStore(place));
  const filled = await fillStore(empty, events, seed, snapshotEveryEvents, (done) =>
    say(`filling: ${done} of ${events} events`),
  );
  say(`${filled.events} events in ${filled.rows} rows, ${filled.days} days of the fleet, in ${filled.seconds} s`);
  const replays: Recovery[] = [];
  const starts: Recovery[] = [];
  for (let round = 1; round <= rounds; round++) {
    replays.push(await recoverOnce("replay", place));
    starts.push(await recoverOnce("snapshot", place));
    say(
      `round ${round}: replay ${rateOf(replays.at(-1)!)} events/s, from snapshot ${starts.at(-1)!.recoverMs.toFixed()} ms`,
    );
  }
  const replay = {
    eventsPerSecond: spreadOf(replays.map(rateOf)),
    eventsPerCpuSecond: spreadOf(replays.map((each) => each.events / (each.cpuMs / 1000))),
    seconds: spreadOf(
      replays.map((each) => each.recoverMs / 1000),
      2,
    ),
    rssMiB: spreadOf(replays.map((each) => each.rssMiB)),
  };
  const snapshot = {
    startMs: spreadOf(starts.map((each) => each.sinceProcessStartMs)),
    recoverMs: spreadOf(starts.map((each) => each.recoverMs)),
    eventsAfterSnapshot: starts[0]!.events,
    rssMiB: spreadOf(starts.map((each) => each.rssMiB)),
  };
  const { liveJobs, liveLeases, keys } = starts[0]!;
  const report = {
    bench: "recover",
    store,
    ...filled,
    eventsPerRow: Number((filled.events / filled.rows).toFixed(1)),
    rounds: replays.length,
    seed,
    replay,
    snapshot,
    live: { jobs: liveJobs, leases: liveLeases, keys },
    goal,
    pass: {
      replay: replay.eventsPerSecond.median >= goal.replayEventsPerSecond,
      snapshot: snapshot.startMs.max < goal.snapshotStartMs,
    },
  };
  if (values.json) console.log(JSON.stringify(report));
  else console.log(JSON.stringify(report, null, 2));
  if (!report.pass.replay || !report.pass.snapshot) process.exitCode = 1;
} finally {
  await postgres?.stop();
  rmSync(dir, { recursive: true, force: true });
}

function rateOf(recovery: Recovery): number {
  return Math.round(recovery.events / (recovery.recoverMs / 1000));
}

async function recoverOnce(how: "replay" | "snapshot", place: StoreConfig): Promise<Recovery> {
  const program = fileURLToPath(new URL("./recover-once.js", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [program, how, JSON.stringify(place)]);
  return JSON.parse(stdout) as Recovery;
}
