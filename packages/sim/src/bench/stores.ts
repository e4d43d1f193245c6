import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { openTelemetry, type TelemetryRow } from "@tessera/telemetry";
import { countOf, parseCall } from "../call.ts";
import { quantile } from "./figures.ts";
import { joinedRows } from "./telemetry/joined-rows.ts";

const usage = `node bin/run.js packages/sim/dist/bench/stores.js [options]: the same samples in several stores

  --gpus N      GPUs of the fleet (default 4800)
  --minutes N   For so long (default 30)
  --every N     Seconds between two samples of a GPU (default 5)
  --duckdb DIR  A folder in which @duckdb/node-api is installed; without it DuckDB is left out

Each store holds time, GPU, node, lease, job, account, user and 16 values of each sample, and answers the mean activity of one team by 5 minutes.`;

const values = parseCall(usage, {
  gpus: { type: "string", default: "4800" },
  minutes: { type: "string", default: "30" },
  every: { type: "string", default: "5" },
  duckdb: { type: "string" },
});
const gpus = Math.ceil(countOf(usage, "--gpus", values.gpus) / 8) * 8;
const minutes = countOf(usage, "--minutes", values.minutes);
const everyMs = 1_000 * countOf(usage, "--every", values.every);

const minute = 60_000;
const queries = 20;
const metricNames = [
  ...["smActive", "tensorActive", "memoryActive", "encoderActive", "memoryUsedMiB", "memoryReservedMiB"],
  ...["powerMilliwatts", "energyMillijoules", "temperatureCelsius", "smClockMhz", "memoryClockMhz"],
  ...["throttleReasons", "pcieSent", "pcieReceived", "nvlinkSent", "nvlinkReceived"],
] as (keyof TelemetryRow["metrics"])[];
const textNames = ["node", "gpu", "lease", "job", "account", "user"] as const;

interface Tried {
  write(rows: readonly TelemetryRow[]): Promise<void>;
  /** Everything is on the disk. */
  settle(): Promise<void>;
  ask(account: string, from: number, to: number): Promise<number>;
  close(): Promise<void>;
}

async function ours(dir: string): Promise<Tried> {
  const store = openTelemetry({ dir, warn: console.error });
  return {
    write: async (rows) => store.write(rows),
    settle: () => store.flush(),
    close: () => store.close(),
    async ask(account, from, to) {
      const accounts = new Set([account as NonNullable<TelemetryRow["account"]>]);
      const query = { metric: "activity", by: "none", from, to, stepMs: 5 * minute, linesMax: 50 } as const;
      const { lines } = await store.series({ ...query, filter: { accounts } });
      return lines[0]?.values.filter((value) => value !== null).length ?? 0;
    },
  };
}

/** Rows by account and time, so that a team's are read alone; texts once, in a table of their own. */
async function sqliteRows(dir: string): Promise<Tried> {
  const db = new DatabaseSync(join(dir, "rows.sqlite"));
  const columns = metricNames.map((name) => `${name} INTEGER`).join(", ");
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
    CREATE TABLE line (id INTEGER PRIMARY KEY, ${textNames.map((name) => `${name} TEXT`).join(", ")});
    CREATE TABLE sample (account INTEGER, end INTEGER, line INTEGER, span INTEGER, share INTEGER, ${columns},
      PRIMARY KEY (account, end, line)) WITHOUT ROWID`);
  const names = new Map<string, number>();
  const addLine = db.prepare(`INSERT INTO line VALUES (?, ${textNames.map(() => "?").join(", ")})`);
  const add = db.prepare(`INSERT INTO sample VALUES (?, ?, ?, ?, ?, ${metricNames.map(() => "?").join(", ")})`);
  const numberOf = (name: string): number => {
    const no = names.get(name) ?? names.size;
    names.set(name, no);
    return no;
  };
  return {
    async write(rows) {
      db.exec("BEGIN");
      for (const row of rows) {
        const known = names.size;
        const line = numberOf(`${row.gpu} ${row.instance ?? ""} ${row.lease ?? ""}`);
        if (names.size > known) addLine.run(line, ...textNames.map((name) => row[name] ?? null));
        const measured = metricNames.map((name) => row.metrics[name] ?? null);
        add.run(numberOf(`account ${row.account ?? ""}`), row.at, line, row.spanMs, row.share, ...measured);
      }
      db.exec("COMMIT");
    },
    async settle() {
      db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    },
    async ask(account, from, to) {
      const sql = `SELECT end / 300000 AS step, sum(smActive * share * span) / sum(share * span) AS mean
        FROM sample WHERE account = ? AND end > ? AND end <= ? GROUP BY step`;
      return db.prepare(sql).all(numberOf(`account ${account}`), from, to).length;
    },
    close: async () => db.close(),
  };
}

/** What is used of the library: it is not a dependency of ours, only measured. */
interface Duck {
  readonly DuckDBInstance: {
    create(path: string, options: object): Promise<{ connect(): Promise<DuckConnection>; closeSync(): void }>;
  };
}
interface DuckConnection {
  run(sql: string): Promise<unknown>;
  runAndReadAll(sql: string): Promise<{ getRows(): unknown[] }>;
  createAppender(table: string): Promise<DuckAppender>;
  closeSync(): void;
}
interface DuckAppender {
  appendBigInt(value: bigint): void;
  appendInteger(value: number): void;
  appendVarchar(value: string): void;
  appendNull(): void;
  endRow(): void;
  flushSync(): void;
  closeSync(): void;
}

async function duckdb(dir: string, installed: string): Promise<Tried> {
  const path = createRequire(join(installed, "package.json")).resolve("@duckdb/node-api");
  const { DuckDBInstance } = (await import(pathToFileURL(path).href)) as Duck;
  const instance = await DuckDBInstance.create(join(dir, "duck.db"), { threads: "1" });
  const db = await instance.connect();
  const texts = textNames.map((name) => `"${name}" VARCHAR`).join(", ");
  const columns = metricNames.map((name) => `${name} BIGINT`).join(", ");
  await db.run(`CREATE TABLE sample (ended BIGINT, span INTEGER, share INTEGER, ${texts}, ${columns})`);
  const appender = await db.createAppender("sample");
  return {
    async write(rows) {
      // Sorted by account, so that a team's rows lie together in each minute.
      for (const row of rows.toSorted((a, b) => ((a.account ?? "") < (b.account ?? "") ? -1 : 1))) {
        appender.appendBigInt(BigInt(Math.round(row.at)));
        appender.appendInteger(row.spanMs);
        appender.appendInteger(row.share);
        for (const name of textNames) {
          const text = row[name];
          if (text === undefined) appender.appendNull();
          else appender.appendVarchar(text);
        }
        for (const name of metricNames) {
          const value = row.metrics[name];
          if (value === undefined) appender.appendNull();
          else appender.appendBigInt(BigInt(Math.round(value)));
        }
        appender.endRow();
      }
      appender.flushSync();
    },
    async settle() {
      await db.run("CHECKPOINT");
    },
    async ask(account, from, to) {
      const sql = `SELECT ended // 300000 AS step, sum(smActive * share * span) / sum(share * span) AS mean
        FROM sample WHERE account = '${account}' AND ended > ${from} AND ended <= ${to} GROUP BY step`;
      return (await db.runAndReadAll(sql)).getRows().length;
    },
    async close() {
      appender.closeSync();
      db.closeSync();
      instance.closeSync();
    },
  };
}

async function measure(name: string, open: (dir: string) => Promise<Tried>): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), "bench-stores-"));
  try {
    const store = await open(dir);
    let [samples, cpuUs, first, last] = [0, 0, 0, 0];
    const timed = async (act: () => Promise<void>) => {
      const began = process.cpuUsage();
      await act();
      const { user, system } = process.cpuUsage(began);
      cpuUs += user + system;
    };
    const accounts = new Set<string>();
    for await (const rows of joinedRows(gpus, minutes, everyMs)) {
      first ||= rows[0]!.at - everyMs;
      last = rows[0]!.at;
      for (const { account } of rows) if (account !== undefined) accounts.add(account);
      samples += rows.length;
      await timed(() => store.write(rows));
      if (last % minute === 0) await timed(() => store.settle());
    }
    const bytes = readdirSync(dir).reduce((sum, file) => sum + statSync(join(dir, file)).size, 0);
    const ms: number[] = [];
    let steps = 0;
    for (const account of [...accounts].slice(0, queries)) {
      const began = performance.now();
      steps += await store.ask(account, first, last);
      ms.push(performance.now() - began);
    }
    await store.close();
    ms.sort((a, b) => a - b);
    const [p50ms, p99ms] = [0.5, 0.99].map((part) => Number(quantile(ms, part).toPrecision(3)));
    const per = (sum: number) => Number((sum / samples).toFixed(1));
    const rssMiB = Math.round(process.memoryUsage().rss / 2 ** 20);
    console.log(JSON.stringify({ name, samples, cpuUs: per(cpuUs), bytes: per(bytes), p50ms, p99ms, steps, rssMiB }));
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

await measure("columns in SQLite: samples, minutes and hours at three widths", ours);
await measure("SQLite, a row for each sample", sqliteRows);
const installed = values.duckdb;
if (installed !== undefined) await measure("DuckDB, a row for each sample", (dir) => duckdb(dir, installed));
