import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../../places/server.js";

const at = ({ name }) => name === "root/none" || name === "root/bwrap";

export const checks = [{ finding: 17, name: "a grace as long as the run", at, prove: creditedRun }];

/** One euro for each second of a GPU, and all of lost work is credited. */
const prices = {
  id: "list",
  from: "2026-01-01",
  currency: "EUR",
  gpus: [{ model: "*", reservedMicros: 0, burstMicros: 3_600_000_000 }],
  lostWorkPerMille: 1000,
};

async function creditedRun({ place, openServer }) {
  const server = await openServer({ place, args: ["--virtual", "1x1:H100"] });
  try {
    const begun = (await server.api("GET", "/v1/policy")).json.lostWork;
    await server.tess("price", "add", server.file("prices.json", prices));
    await server.tess("policy", "set", "--lost-work", "1s", "--min-runtime", "0s", "--rebalance", "on");
    await server.tess("account", "create", "local/guest");
    await server.tess("account", "create", "local/owner", "--guarantee", "1", "--overcommit");
    const submit = async (project, body) =>
      (await server.api("POST", "/v1/jobs", { project, gpus: 1, ...body })).json.id;
    const state = async (job) => (await server.api("GET", `/v1/jobs/${job}`)).json.state;
    const lent = await submit("local/guest", { run: "sleep 100", checkpoint: { grace: "15m" } });
    await until("the guest runs", 30_000, async () => (await state(lent)) === "running");
    await sleep(6_000);
    const own = await submit("local/owner", { run: "true" });
    await until("the owner had its GPU back", 30_000, async () => (await state(own)) === "ended");
    const kinds = await until("the eviction is in the costs", 20_000, async () => {
      const { json } = await server.api("GET", "/v1/costs?by=class&from=1d");
      const sums = {};
      for (const { byKind } of json.rows)
        for (const [kind, micros] of Object.entries(byKind)) sums[kind] = (sums[kind] ?? 0) + Number(micros) / 1e6;
      return sums["lost-work"] !== undefined && sums;
    });
    const credit = -kinds["lost-work"];
    const held = begun === "5m" && credit > 0 && credit <= 1.01 && kinds.burst > 4;
    return {
      held,
      seen: `${credit.toFixed(2)} of ${kinds.burst.toFixed(2)} EUR credited with a limit of 1 s; it begins with ${begun}`,
    };
  } finally {
    await server.close();
  }
}
