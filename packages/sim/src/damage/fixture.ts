import { randomBytes } from "node:crypto";
import { cpSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { backup } from "@tessera/server";
import { ServerProcess } from "../soak/server-process.ts";

/** Data folders as a server left them, and a backup; each case damages a copy. */
export interface Fixture {
  /** After a clean stop: one file holds everything. */
  readonly stopped: string;
  /** After a SIGKILL: the newest rows are in the log. */
  readonly killed: string;
  readonly backup: string;
  /** Opens the backup. */
  readonly key: Buffer;
}

const virtual = "1x8:H100";

/** Lets a real server do a bit of everything, stops it, and kills it the next time. */
export async function buildFixture(dir: string): Promise<Fixture> {
  const data = join(dir, "data");
  const [stopped, killed, file] = [join(dir, "stopped"), join(dir, "killed"), join(dir, "backup")];
  mkdirSync(dir, { recursive: true });
  await during(data, "SIGTERM", async (ask) => {
    await setUp(ask);
    await runJobs(ask, 12);
  });
  const key = randomBytes(32);
  await backup({ dir: join(data, "store") }, file, { scratchIn: data, key, keyFiles: {} });
  // The second stop leaves a snapshot that is in use, and one before it.
  await during(data, "SIGTERM", (ask) => runJobs(ask, 6));
  copyFolder(data, stopped);
  await during(data, "SIGKILL", async (ask) => {
    await ask("PUT", "/v1/accounts/lab/secrets/LATE", { value: "set before the end" });
    await runJobs(ask, 8);
  });
  copyFolder(data, killed);
  return { stopped, killed, backup: file, key };
}

/** The part of a data folder that this is about. The files of the engine are no part of the journal. */
export function copyFolder(from: string, to: string): void {
  mkdirSync(to, { mode: 0o700 });
  for (const name of ["store", "keys"]) cpSync(join(from, name), join(to, name), { recursive: true });
}

type Ask = (method: string, path: string, body?: object) => Promise<Record<string, string>>;

async function during(data: string, end: NodeJS.Signals, act: (ask: Ask) => Promise<void>): Promise<void> {
  const server = new ServerProcess({ data, virtual });
  const url = await server.url;
  if (url === undefined) throw new Error(`the server did not start:\n${server.said.join("\n")}`);
  try {
    await act((method, path, body) => askServer(url, data, method, path, body));
  } finally {
    await server.end(end);
  }
}

async function askServer(url: string, data: string, method: string, path: string, body?: object) {
  const token = readFileSync(join(data, "owner.token"), "utf8").trim();
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return text === "" ? {} : JSON.parse(text);
}

/** Accounts, people, money and secrets. */
async function setUp(ask: Ask): Promise<void> {
  await ask("POST", "/v1/accounts", { path: "lab" });
  await ask("POST", "/v1/accounts", { path: "lab/vision" });
  const gpus = [{ model: "*", reservedMicros: 1_000_000, burstMicros: 2_000_000 }];
  await ask("POST", "/v1/prices", { id: "first", from: "2020-01-01T00:00", currency: "EUR", gpus });
  for (const name of ["ada", "ben", "cleo"]) {
    const user = await ask("POST", "/v1/users", { name, role: "member", account: "lab/vision" });
    await ask("PUT", `/v1/users/${user.id}/password`, { password: `correct horse of ${name}` });
  }
  for (const name of ["HUB", "WANDB", "S3"]) {
    await ask("PUT", `/v1/accounts/lab/secrets/${name}`, { value: `the value of ${name}` });
  }
}

/** Jobs that end, one that fails, one that is cancelled. */
async function runJobs(ask: Ask, count: number): Promise<void> {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) {
    const project = i % 2 === 0 ? "lab/vision" : "local";
    const job = await ask("POST", "/v1/jobs", { project, run: i % 5 === 4 ? "exit 3" : "true", gpus: 1 });
    ids.push(job.id!);
  }
  const long = await ask("POST", "/v1/jobs", { project: "lab/vision", run: "sleep 600", gpus: 1 });
  await ask("POST", `/v1/jobs/${long.id}/cancel`);
  for (const id of [...ids, long.id!]) await untilEnded(ask, id);
}

async function untilEnded(ask: Ask, id: string): Promise<void> {
  while ((await ask("GET", `/v1/jobs/${id}`)).endedAt == null) await sleep(50);
}
