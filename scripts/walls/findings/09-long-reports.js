import { join } from "node:path";
import { fillHistory } from "../big-history.js";
import { worstDelay } from "./05-many-keys.js";

const delayMsMax = 200;
const history = { events: 40_000, msMax: 6_000 };

/** Costs and usage since 1970, by everything, of a server with a history; half of the callers do not wait for the end. */
async function since1970({ place, openServer }) {
  const prepare = (data) => fillHistory(join(data, "store"), history);
  const server = await openServer({ place, args: ["--simulated", "300x8:H100"], prepare });
  try {
    const gpus = [{ model: "*", reservedMicros: 1_000_000, burstMicros: 2_000_000 }];
    await server.api("POST", "/v1/prices", { id: "list-1", currency: "EUR", from: "2026-01-01T00:00", gpus });
    const viewer = await server.person("vera", "viewer", "org0");
    const statuses = new Set();
    const ask = async (path, leaveAfterMs) => {
      const signal = AbortSignal.timeout(leaveAfterMs);
      const headers = { authorization: `Bearer ${viewer}` };
      const answer = await fetch(`${server.url}${path}`, { headers, signal }).catch(() => undefined);
      statuses.add(answer?.status ?? "left");
      await answer?.arrayBuffer().catch(() => {});
    };
    const worst = await worstDelay(server, async () => {
      for (const by of ["day", "job", "user", "account"]) {
        const query = `by=${by}&from=1970-01-01T00:00:00Z`;
        await Promise.all([ask(`/v1/costs?${query}&compare=true`, 300), ask(`/v1/costs?${query}`, 3_000)]);
        if (by !== "day") await ask(`/v1/usage?${query}`, 3_000);
      }
    });
    return {
      held: worst < delayMsMax,
      seen: `/healthz at most ${worst} ms late; answered ${[...statuses].join(", ")}`,
    };
  } finally {
    await server.close();
  }
}

export const checks = [
  { finding: 9, name: "costs and usage since 1970", at: ({ name }) => name === "root/unshare", prove: since1970 },
];
