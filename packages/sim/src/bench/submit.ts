import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import type { StoreConfig } from "@tessera/server";
import { openPlainTable, type PlainTable } from "@tessera/server/testing/plain-table";
import { startTestPostgres } from "@tessera/server/testing/postgres";
import { countOf, parseCall, wordOf } from "../call.ts";
import { ServerProcess } from "../soak/server-process.ts";
import { spreadOf } from "./figures.ts";
import { cordonAll, makeUsers } from "./ground.ts";
import type { LoadAsk, LoadFigures } from "./load.ts";
import { compareEncrypted } from "./submit-encrypted.ts";

const usage = `npm run bench:submit -- [options]: durable submissions over HTTP, beside what a commit and a request cost by themselves

  --store S    sqlite, postgres or both (default both)
  --rounds N   How often each is measured, in turn (default 5)
  --ms N       How long each measurement takes (default 2000)
  --encrypted  Measure submissions with an encrypted journal beside those with a plain one instead
  --json       Print the report on one line

Exit codes: 0 the goal is met, 1 otherwise, 2 wrong usage.`;
const clientCounts = [1, 16, 256] as const;
const users = 8;
/** The account that a new installation has. */
const project = "local";
/** About as much as the journal row of one submission. */
const rowBytes = 1_500;

const values = parseCall(usage, {
  store: { type: "string", default: "both" },
  rounds: { type: "string", default: "5" },
  ms: { type: "string", default: "2000" },
  encrypted: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
});
const asked = wordOf(usage, "--store", values.store, ["sqlite", "postgres", "both"]);
const stores = asked === "both" ? ["sqlite", "postgres"] : [asked];
const rounds = countOf(usage, "--rounds", values.rounds);
const ms = countOf(usage, "--ms", values.ms);
const say = (text: string) => console.error(text);

/** What one round measured. */
interface Round {
  readonly singleRowCommits: number;
  readonly whoami: LoadFigures;
  readonly repeat: LoadFigures;
  readonly submit: readonly LoadFigures[];
}

const generator = fork(new URL("./load.js", import.meta.url));
if (values.encrypted) {
  const stores = await compareStores().finally(() => generator.kill());
  const report = { bench: "submit-encrypted", cores: cpus().length, rounds, msEach: ms, stores };
  console.log(values.json ? JSON.stringify(report) : JSON.stringify(report, null, 2));
  process.exit();
}
const measured: Record<string, ReturnType<typeof summary>> = {};
try {
  for (const store of stores) measured[store] = summary(await measureStore(store));
} finally {
  generator.kill();
}
const report = {
  bench: "submit",
  cores: cpus().length,
  rounds,
  msEach: ms,
  order:
    "each round: single-row commits; with 256 clients whoami and repeated submissions, neither of which commits; submissions with 1, 16 and 256 clients",
  stores: measured,
  pass: Object.values(measured).every((each) => each.criterion.whoami.pass),
};
console.log(values.json ? JSON.stringify(report) : JSON.stringify(report, null, 2));
if (!report.pass) process.exitCode = 1;

async function compareStores() {
  const compared: Record<string, Awaited<ReturnType<typeof compareEncrypted>>> = {};
  for (const store of stores) {
    const postgres = store === "postgres" ? await startTestPostgres() : undefined;
    try {
      if (store === "postgres" && postgres === undefined) throw new Error("there is no PostgreSQL to measure");
      compared[store] = await compareEncrypted({
        ...{ clients: clientCounts, rounds, ms, users, project, say },
        ...(postgres !== undefined && { freshDatabase: () => postgres.freshDatabase() }),
        ask: (what) => ask(generator, what),
      });
    } finally {
      await postgres?.stop();
    }
  }
  return compared;
}

async function measureStore(store: string): Promise<Round[]> {
  const data = mkdtempSync(join(tmpdir(), "tessera-submit-"));
  const postgres = store === "postgres" ? await startTestPostgres() : undefined;
  let server: ServerProcess | undefined;
  try {
    if (store === "postgres" && postgres === undefined) throw new Error("there is no PostgreSQL to measure");
    const database = await postgres?.freshDatabase();
    server = new ServerProcess({ data, virtual: "4x8:H100", ...(database !== undefined && { database }) });
    const url = await server.url;
    if (url === undefined) throw new Error(`the server did not start:\n${server.said.join("\n")}`);
    const token = readFileSync(join(data, "owner.token"), "utf8").trim();
    await cordonAll(url, token);
    const tokens = await makeUsers(url, token, project, users);
    const place: StoreConfig = database === undefined ? { dir: join(data, "plain") } : { url: database };
    if ("dir" in place) mkdirSync(place.dir);
    const table = await openPlainTable(place);
    const measure = (what: LoadAsk["what"], clients: number) =>
      ask(generator, { url, tokens, clients, ms, what, project });
    const measuredRounds: Round[] = [];
    // The first round only warms up: code is compiled, caches are filled.
    for (let round = 0; round <= rounds; round++) {
      const singleRowCommits = await commitRate(table);
      const whoami = await measure("whoami", 256);
      const repeat = await measure("repeat", 256);
      const submit: LoadFigures[] = [];
      for (const clients of clientCounts) submit.push(await measure("submit", clients));
      if (round > 0) measuredRounds.push({ singleRowCommits, whoami, repeat, submit });
      const rates = submit.map((each) => each.perSecond.toFixed(0)).join(" / ");
      say(
        `${store} round ${round}: commits ${singleRowCommits.toFixed(0)}/s, whoami ${whoami.perSecond.toFixed(0)}/s, repeated ${repeat.perSecond.toFixed(0)}/s, submissions ${rates} per s`,
      );
    }
    await table.close();
    await server.end("SIGTERM");
    return measuredRounds;
  } finally {
    if (server?.alive) await server.end("SIGKILL");
    await postgres?.stop();
    rmSync(data, { recursive: true, force: true });
  }
}

async function ask(child: ChildProcess, what: LoadAsk): Promise<LoadFigures> {
  child.send(what);
  const [figures] = (await once(child, "message")) as [LoadFigures];
  if (figures.failures > 0)
    throw new Error(`${figures.failures} of ${figures.requests} requests failed (${what.what})`);
  return figures;
}

async function commitRate(table: PlainTable): Promise<number> {
  const bytes = new Uint8Array(rowBytes).fill(65);
  const began = performance.now();
  let commits = 0;
  while (performance.now() - began < ms) {
    const done = table.insert(bytes);
    if (done !== undefined) await done;
    commits++;
  }
  return commits / ((performance.now() - began) / 1000);
}

function summary(all: readonly Round[]) {
  const singleRowCommitsPerSecond = spreadOf(all.map((round) => round.singleRowCommits));
  const whoamiPerSecond = spreadOf(all.map((round) => round.whoami.perSecond));
  const repeatedPerSecond = spreadOf(all.map((round) => round.repeat.perSecond));
  const submissions = clientCounts.map((clients, i) => ({
    clients,
    perSecond: spreadOf(all.map((round) => round.submit[i]!.perSecond)),
    p50Ms: spreadOf(
      all.map((round) => round.submit[i]!.p50Ms),
      2,
    ),
    p99Ms: spreadOf(
      all.map((round) => round.submit[i]!.p99Ms),
      2,
    ),
  }));
  const perSecond = submissions.at(-1)!.perSecond.median;
  const twiceCommits = 2 * singleRowCommitsPerSecond.median;
  /** Compared with the cheapest route, and with the same request when it needs no commit. */
  const besides = (noCommit: number) => {
    const needed = Math.min(twiceCommits, Math.round(noCommit / 2));
    return { halfNoCommit: Math.round(noCommit / 2), needed, pass: perSecond >= needed };
  };
  const criterion = {
    ...{ clients: 256, perSecond, twiceCommits },
    whoami: besides(whoamiPerSecond.median),
    repeated: besides(repeatedPerSecond.median),
  };
  return { singleRowCommitsPerSecond, whoamiPerSecond, repeatedPerSecond, submissions, criterion };
}
