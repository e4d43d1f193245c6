import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { BodyOf } from "@tessera/wire";
import { OwnServer } from "./server.ts";

const simulator = fileURLToPath(new URL("../../../sim/dist/main.js", import.meta.url));
const jobsAtOnce = 16;
const lookEveryMs = 2_000;

/** A server that simulated days lie behind, with people of every role. */
export interface Story {
  readonly server: OwnServer;
  /** Of people by what they are, as tokens. */
  readonly tokens: Readonly<Record<Who, string>>;
  /** Jobs that are worth a look, by what they show. */
  readonly jobs: Readonly<Record<string, string>>;
  end(): Promise<void>;
}

export const roles = ["tenant-admin", "team-admin", "member", "viewer", "finance", "auditor"] as const;
export type Who = "owner" | (typeof roles)[number];

const team = "org1/vision";

/** Simulates 24 hours of 50,000 GPUs into a folder, or opens the one that is given, and lets a morning begin. */
export function openBusyDay(folder: string | undefined): Promise<Story> {
  const gpus = 50_000;
  return openStory(folder, { gpus, days: 1 }, ["--virtual", "2x8:L40S"], (server, { member }) =>
    morning(server, member, gpus),
  );
}

/** Money by day, compared and forecast, needs more than a day: weeks of a smaller fleet, the month before closed. */
export function openWeeks(folder: string | undefined): Promise<Story> {
  return openStory(folder, { gpus: 512, days: 35 }, ["--no-local"], async (server) => {
    await server.call("closePeriod", { body: { period: monthBefore() } });
    return {};
  });
}

export function monthBefore(): string {
  const last = new Date();
  last.setUTCDate(0);
  return last.toISOString().slice(0, 7);
}

interface Simulated {
  readonly gpus: number;
  readonly days: number;
}

async function openStory(
  folder: string | undefined,
  simulated: Simulated,
  args: readonly string[],
  goOn: (server: OwnServer, tokens: Story["tokens"]) => Promise<Story["jobs"]>,
): Promise<Story> {
  const data = folder ?? mkdtempSync(join(tmpdir(), "tessera-day-"));
  if (folder === undefined) await simulateDays(data, simulated);
  const server = OwnServer.on(data, ...args);
  const end = async () => {
    await server.end();
    if (folder === undefined) rmSync(data, { recursive: true, force: true });
  };
  await server.start();
  try {
    const tokens = await peopleOf(server);
    const jobs = await goOn(server, tokens);
    await rolledUp(server);
    return { server, tokens, jobs, end };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Writes the last days of a simulated fleet into a folder. */
export async function simulateDays(data: string, { gpus, days }: Simulated): Promise<void> {
  const args = [simulator, "day", "--data", data, "--gpus", String(gpus), "--days", String(days)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`tess-sim day ended with ${code}`);
}

/** Charts end where the reading of the journal has come to: waits until it has come to now. */
export async function rolledUp(server: OwnServer): Promise<void> {
  for (;;) {
    const { series } = await server.call("readSeries", { query: { metric: "capacity", from: "10m", step: "1m" } });
    if (series.some(({ values }) => values.some((value) => value !== null))) return;
    await setTimeout(lookEveryMs);
  }
}

async function peopleOf(server: OwnServer): Promise<Record<Who, string>> {
  const tokens: Partial<Record<Who, string>> = { owner: server.ownerToken };
  for (const role of roles) {
    const account = role === "tenant-admin" || role === "finance" || role === "auditor" ? "org1" : team;
    const name = `${role}-${Date.now().toString(36)}`;
    const user = await server.call("createUser", { body: { name, role, account } });
    tokens[role] = (await server.call("createToken", { body: { user: user.id, label: "pictures" } })).token;
  }
  return tokens as Record<Who, string>;
}

/** Of 240 runs some fail and some take too long: real processes, on the virtual GPUs of this machine. */
const sweep = {
  name: "sweep-lr",
  gpus: "L40S:1",
  array: "0-239%12",
  max_time: "30s",
  run: `echo "lr 1e-$((TESS_INDEX % 5 + 3))"
sleep $((2 + TESS_INDEX % 4))
case $((TESS_INDEX % 24)) in
  5|13) echo "RuntimeError: CUDA out of memory" >&2; exit 1 ;;
  17) sleep 600 ;;
esac
echo "loss 1.52"`,
};

/** More is asked for than is free; some of it is worth a look: an array under way, a gang that prints, a failure. */
async function morning(server: OwnServer, member: string, gpus: number): Promise<Story["jobs"]> {
  const teams = ["vision", "speech", "language", "robotics", "search", "ads", "science", "platform"];
  const many = Math.round(gpus / 400);
  const bodies: BodyOf<"submitJob">[] = Array.from({ length: many }, (_, i) => ({
    name: `${["pretrain", "finetune", "sweep", "eval"][i % 4]}-${i + 1}`,
    project: `org${1 + ((i * 7) % 30)}/${teams[i % 8]}`,
    gpus: "H100:8",
    nodes: [1, 2, 4, 4, 8, 16][i % 6]!,
    ...(i % 5 === 0 && { topology: "rack?" }),
    priority: (["normal", "normal", "high", "low"] as const)[i % 4]!,
    max_time: `${2 + (i % 20)}h`,
    run: `echo "epoch 1 loss 2.31"; sleep ${1 + (i % 18)}h`,
  }));
  const run =
    'echo "step 100 loss 2.31"; sleep 3; echo "step 200 loss 1.87"; sleep 3; echo "step 300 loss 1.52"; sleep 5h';
  const mine = (body: Omit<BodyOf<"submitJob">, "project">) =>
    server.call("submitJob", { body: { ...body, project: team }, token: member });
  const gang = await mine({ name: "llama-ft", gpus: "H100:8", nodes: 8, max_time: "8h", priority: "high", run });
  const array = await mine(sweep);
  await mine({
    name: "eval-broken",
    gpus: "H100:1",
    max_time: "1h",
    run: 'echo "loading checkpoint"; echo "CUDA out of memory"; exit 1',
  });
  let next = 0;
  const worker = async () => {
    for (let i = next++; i < bodies.length; i = next++) await server.call("submitJob", { body: bodies[i]! });
  };
  await Promise.all(Array.from({ length: jobsAtOnce }, worker));
  const waits = await mine({
    name: "llama-pretrain",
    gpus: "H100:8",
    nodes: 64,
    max_time: "20h",
    priority: "low",
    run,
  });
  return { waiting: waits.id, gang: gang.id, array: array.id };
}
