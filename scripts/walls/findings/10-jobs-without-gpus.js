import { until } from "../../places/server.js";

const at = ({ name }) => name === "root/none" || name === "user/none";

export const checks = [
  { finding: 10, name: "an array of jobs without GPUs", at, prove: manyMembers },
  { finding: 10, name: "a member whose job names no limit", at: ({ name }) => name.startsWith("root/"), prove: limits },
];

const prices = {
  id: "list",
  from: "2026-01-01",
  currency: "EUR",
  gpus: [{ model: "*", reservedMicros: 1, burstMicros: 1 }],
  cpuMicrosPerCoreHour: 3_600_000_000,
  memoryMicrosPerGiBHour: 3_600_000_000,
};

async function manyMembers({ place, openServer }) {
  const server = await openServer({ place });
  try {
    const member = await server.person("mallory", "member", "local");
    await server.tess("price", "add", server.file("prices.json", prices));
    await server.tess("policy", "set", "--max", "cpuMembersPerTenant=3");
    const { json: made } = await server.api("POST", "/v1/jobs", { run: "sleep 60", array: "1-300" }, member);
    const running = async () => {
      const { json } = await server.api("GET", `/v1/jobs?array=${made.id}&state=running&limit=1000`, undefined, member);
      return json.items.length;
    };
    await until("some run", 30_000, async () => (await running()) >= 3);
    const { json: last } = await server.api("GET", `/v1/jobs/${made.id}.300`, undefined, member);
    const { json: account } = await server.api("GET", "/v1/accounts/local");
    const cost = await until("it costs", 10_000, async () => {
      const { json } = await server.api("GET", `/v1/jobs/${made.id}.1`, undefined, member);
      return json.cost !== undefined && BigInt(json.cost.micros ?? 0) > 0n && json.cost.micros;
    });
    const { cpus, memoryMiB } = account.used;
    const count = await running();
    const held = count === 3 && last.reason.kind === "quota" && cpus > 0 && memoryMiB > 0;
    const seen = `${count} of 300 run with ${cpus} cores and ${memoryMiB} MiB, at ${cost} micros so far; the last waits: ${last.reason.detail}`;
    return { held, seen };
  } finally {
    await server.close();
  }
}

async function limits({ place, openServer }) {
  const server = await openServer({ place });
  try {
    const shown = [];
    for (const gpus of [0, 1]) {
      const { json } = await server.api("POST", "/v1/jobs", { run: "sleep 60", gpus });
      const member = await until("it runs", 30_000, async () => {
        const job = (await server.api("GET", `/v1/jobs/${json.id}`)).json;
        return job.state === "running" && job.members[0];
      });
      shown.push(member.enforcement);
    }
    const wanted = ["memory", "cpu", "processes", "scratch"];
    const lacking = shown.flatMap((each, gpus) =>
      wanted.filter((limit) => !(limit in each)).map((limit) => `${limit} (${gpus} GPUs)`),
    );
    const seen =
      lacking.length === 0
        ? wanted.map((limit) => `${limit}: ${shown[0][limit]}`).join(", ")
        : `no ${lacking.join(", ")}`;
    return { held: lacking.length === 0, seen };
  } finally {
    await server.close();
  }
}
