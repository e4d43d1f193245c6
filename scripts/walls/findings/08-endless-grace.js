import { until } from "../../places/server.js";

const stubborn = "trap '' TERM INT HUP; while :; do sleep 1; done";

export const checks = [
  { finding: 8, name: "ten years of grace and a job that ignores its signal", at: () => true, prove: stubbornJob },
];

async function stubbornJob({ place, openServer }) {
  const server = await openServer({ place });
  try {
    const asked = { run: stubborn, gpus: 1, checkpoint: { grace: "520w" } };
    const refused = await server.api("POST", "/v1/jobs", asked);
    await server.tess("policy", "set", "--grace", "2s");
    const ends = {};
    for (const how of ["cancel", "time limit", "force"]) {
      const limit = how === "time limit" ? { max_time: "1s" } : {};
      const { json } = await server.api("POST", "/v1/jobs", { ...asked, ...limit, checkpoint: { grace: "15m" } });
      const state = async () => (await server.api("GET", `/v1/jobs/${json.id}`)).json.state;
      await until(`${how}: it runs`, 30_000, async () => (await state()) === "running");
      if (how === "force") await server.tess("policy", "set", "--grace", "10m");
      const askedAt = performance.now();
      if (how !== "time limit") await server.api("POST", `/v1/jobs/${json.id}/cancel`, {});
      if (how === "force") await server.tess("cancel", json.id, "--force");
      await until(`${how}: it ends`, 25_000, async () => (await state()) === "ended");
      ends[how] = performance.now() - askedAt;
    }
    const member = await server.person("mallory", "member", "local");
    const { json } = await server.api("POST", "/v1/jobs", { run: "sleep 60", gpus: 1 }, member);
    const own = await server.api("POST", `/v1/jobs/${json.id}/cancel`, { force: true }, member);
    const words = Object.entries(ends).map(([how, ms]) => `${how} ${(ms / 1000).toFixed(1)} s`);
    const held = refused.status === 403 && own.status === 403;
    const seen = `${refused.json.detail} Ended after: ${words.join(", ")}; a member's --force: ${own.status}`;
    return { held, seen };
  } finally {
    await server.close();
  }
}
