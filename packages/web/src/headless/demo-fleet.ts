import type { BodyOf } from "@tessera/wire";
import { OwnServer } from "./server.ts";

/** 50,000 GPUs in three zones. */
export const demoFleet = "3200x8:H100,1850x8:A100,1200x8:L40S";

const tenants: Readonly<Record<string, { guarantee: Record<string, number>; teams: readonly string[] }>> = {
  research: { guarantee: { H100: 9000, A100: 3000 }, teams: ["nlp", "vision", "robotics"] },
  foundation: { guarantee: { H100: 8000 }, teams: ["pretrain", "align"] },
  biology: { guarantee: { A100: 4000 }, teams: ["folding", "imaging"] },
  climate: { guarantee: { A100: 3000, H100: 1500 }, teams: ["weather"] },
  media: { guarantee: { L40S: 5000 }, teams: ["render", "video"] },
  speech: { guarantee: { H100: 2500, L40S: 1500 }, teams: ["asr", "tts"] },
  search: { guarantee: { L40S: 2000, A100: 1000 }, teams: ["ranking", "embed"] },
  autonomy: { guarantee: { H100: 3000 }, teams: ["perception", "sim"] },
};
const people = ["ana", "bo", "chidi", "dara", "elif", "finn", "grace", "hugo", "ines", "jun"] as const;
const kinds = ["pretrain", "finetune", "eval", "sweep", "embed", "distill", "rl", "render", "tune", "score"] as const;

/** The same fleet each time: numbers that depend on the seed alone. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const jobsAtOnce = 16;

/** A server with a simulated fleet of 50,000 GPUs, eight tenants and jobs that hold most of it and wait for the rest. */
export async function startDemo(jobs = 1_500): Promise<{ server: OwnServer; userToken: string }> {
  const server = new OwnServer("--simulated", demoFleet);
  await server.start();
  await server.call("addPrices", {
    body: {
      id: "list-1",
      currency: "EUR",
      from: new Date().toISOString(),
      gpus: [
        { model: "H100", reservedMicros: 2_400_000, burstMicros: 1_400_000 },
        { model: "A100", reservedMicros: 1_300_000, burstMicros: 800_000 },
        { model: "L40S", reservedMicros: 900_000, burstMicros: 500_000 },
      ],
    },
  });
  const random = seeded(7);
  const pick = <Item>(from: readonly Item[]): Item => from[Math.floor(random() * from.length)]!;
  for (const [tenant, { guarantee, teams }] of Object.entries(tenants)) {
    await server.call("createAccount", { body: { path: tenant, guarantee } });
    for (const team of teams) await server.call("createAccount", { body: { path: `${tenant}/${team}` } });
  }
  const accounts = Object.entries(tenants).flatMap(([tenant, { teams }]) => teams.map((team) => `${tenant}/${team}`));
  const tokens: string[] = [];
  for (const [i, name] of people.entries()) {
    const account = Object.keys(tenants)[i % Object.keys(tenants).length]!;
    const user = await server.call("createUser", { body: { name, role: "member", account } });
    tokens.push((await server.call("createToken", { body: { user: user.id, label: "laptop" } })).token);
  }
  const bodies = Array.from({ length: jobs }, (_, i) => bodyOf(i, random, pick, accounts));
  // Jobs of ana, a member of research, so that her home page is not empty.
  for (let i = 0; i < 14; i++)
    bodies.push({ ...bodyOf(jobs + i, random, pick, ["research/nlp"]), name: `llama-ft-${i + 1}` });
  let next = 0;
  const worker = async () => {
    for (let i = next++; i < bodies.length; i = next++) {
      const body = bodies[i]!;
      const mine = i >= jobs;
      await server.call("submitJob", { body, ...(mine && { token: tokens[0]! }) });
    }
  };
  await Promise.all(Array.from({ length: jobsAtOnce }, worker));
  for (const [account, limit] of [
    ["research", 900_000],
    ["media", 60_000],
  ] as const)
    await server.call("setBudget", { at: { account }, body: { limitMicros: `${limit}000000`, stop: "refuse-new" } });
  await server.call("drainNode", { at: { node: "h100-0042" }, body: { reason: "new driver", within: "2h" } });
  await server.call("cordonNode", { at: { node: "a100-0101" }, body: { reason: "NVLink errors on GPU 3" } });
  await server.call("downNode", { at: { node: "l40s-0007" }, body: { reason: "does not answer" } });
  return { server, userToken: tokens[0]! };
}

function bodyOf(
  i: number,
  random: () => number,
  pick: <Item>(from: readonly Item[]) => Item,
  accounts: readonly string[],
): BodyOf<"submitJob"> {
  const project = pick(accounts);
  const tenant = tenants[project.split("/")[0]!]!;
  const model = pick(Object.keys(tenant.guarantee));
  const nodes = pick([1, 1, 1, 2, 4, 4, 8, 16]);
  const gpus = nodes > 1 ? 8 : pick([1, 2, 4, 8, 8]);
  const hours = 1 + Math.floor(random() * 60);
  return {
    name: `${pick(kinds)}-${i + 1}`,
    project,
    gpus: `${model}:${gpus}`,
    nodes,
    ...(nodes > 1 && random() < 0.3 && { topology: "block" }),
    priority: pick(["normal", "normal", "normal", "high", "low"]),
    max_time: `${hours + 2}h`,
    run: `echo "epoch 1 loss 2.31"; sleep 2; echo "epoch 2 loss 1.87"; sleep 3; echo "epoch 3 loss 1.52"; sleep ${hours}h`,
  };
}
