import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chownSync, rmSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import pg from "pg";
import { type Installed, installBinaries } from "./postgres-binaries.ts";

/** A real PostgreSQL for tests, soaks and benchmarks. */
export interface TestPostgres {
  /** A database of it that always exists. */
  readonly url: string;
  /** Makes a new, empty database and returns its URL. */
  freshDatabase(): Promise<string>;
  stop(): Promise<void>;
}

/**
 * Starts a PostgreSQL from the npm package that ships its binaries, or uses TESSERA_TEST_DATABASE_URL where that is
 * set. Returns undefined, and says why on standard error, where neither is possible: tests then skip.
 */
export async function startTestPostgres(): Promise<TestPostgres | undefined> {
  const given = process.env.TESSERA_TEST_DATABASE_URL;
  if (given) return withDatabases(given, async () => {});
  let installed: Installed | undefined;
  try {
    installed = await installBinaries();
    const password = randomBytes(12).toString("hex");
    await initialise(installed, password);
    const server = await startOnFreePort(installed);
    const url = `postgres://tessera:${password}@127.0.0.1:${server.port}/postgres`;
    return withDatabases(url, server.stop);
  } catch (error) {
    if (installed !== undefined) await rm(installed.dir, { recursive: true, force: true });
    const reason = error instanceof Error ? error.message : error;
    process.stderr.write(`No PostgreSQL for tests (set TESSERA_TEST_DATABASE_URL to use your own): ${reason}\n`);
    return undefined;
  }
}

function withDatabases(url: string, stopServer: () => Promise<void>): TestPostgres {
  const made: string[] = [];
  const run = async (...statements: string[]) => {
    const client = new pg.Client(url);
    await client.connect();
    try {
      for (const statement of statements) await client.query(statement);
    } finally {
      await client.end();
    }
  };
  return {
    url,
    async freshDatabase() {
      const name = `tessera_test_${randomBytes(6).toString("hex")}`;
      await run(`CREATE DATABASE ${name}`);
      made.push(name);
      const database = new URL(url);
      database.pathname = `/${name}`;
      return database.href;
    },
    async stop() {
      if (process.env.TESSERA_TEST_DATABASE_URL) await run(...made.map((name) => `DROP DATABASE ${name} WITH (FORCE)`));
      await stopServer();
    },
  };
}

/** Makes the data directory. Its first files need no sync, since a cluster that dies before the tests is thrown away. */
async function initialise({ bin, dir, uid, gid, env }: Installed, password: string): Promise<void> {
  const passwordFile = join(dir, "password");
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  if (uid !== undefined && gid !== undefined) chownSync(passwordFile, uid, gid);
  const access = ["--username=tessera", "--auth=scram-sha-256", `--pwfile=${passwordFile}`];
  const form = ["--no-sync", "--no-instructions", "--encoding=UTF8", "--locale=C"];
  const child = spawn(join(bin, "initdb"), ["-D", join(dir, "data"), ...access, ...form], {
    ...{ uid, gid, env, cwd: dir },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let complaint = "";
  child.stderr.on("data", (text) => {
    complaint += text;
  });
  const [code] = await once(child, "close");
  rmSync(passwordFile);
  if (code !== 0) throw new Error(`initdb ended with ${code}: ${complaint.trim()}`);
}

interface Running {
  readonly port: number;
  stop(): Promise<void>;
}

async function startOnFreePort(installed: Installed): Promise<Running> {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    try {
      return await start(installed, port);
    } catch (error) {
      // Somebody else may have taken the port between our look and PostgreSQL's.
      if (attempt === 3) throw error;
    }
  }
}

/**
 * PostgreSQL is watched by a shell that waits for its standard input to end. It ends when we stop, but also when this
 * process is killed; and a signal to the whole group ends the wait too. So no server and no directory is left behind,
 * and the shell reaps what it started.
 */
const watch = `
  trap : TERM INT HUP
  "$1" -D "$2/data" -p "$3" -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c max_connections=60 \
    -c shared_buffers=64MB -c fsync=on -c synchronous_commit=on </dev/null & pid=$!
  read -r line
  kill -QUIT $pid
  wait $pid
  if [ "$line" != again ]; then rm -rf "$2"; fi
`;

async function start({ bin, dir, uid, gid, env }: Installed, port: number): Promise<Running> {
  const shell = spawn("/bin/sh", ["-c", watch, "watch", join(bin, "postgres"), dir, String(port)], {
    ...{ uid, gid, env, cwd: "/" },
    stdio: ["pipe", "ignore", "pipe"],
  });
  const gone = once(shell, "exit");
  gone.catch(() => {}); // looked at when it is awaited; until then a failed start must not end the process
  shell.stdin.on("error", () => {}); // the shell is gone already
  const end = async (word: "stop" | "again") => {
    shell.stdin.end(`${word}\n`);
    await gone;
  };
  const said: string[] = [];
  for await (const line of createInterface(shell.stderr)) {
    said.push(line);
    if (/FATAL|ready to accept connections/.test(line)) break;
  }
  if (said.at(-1)?.includes("ready")) {
    shell.stderr.resume(); // nothing reads on, and a full pipe would stop the server
    return { port, stop: () => end("stop") };
  }
  await end("again");
  throw new Error(`PostgreSQL did not start: ${said.join(" ")}`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no free port on 127.0.0.1");
  return address.port;
}
