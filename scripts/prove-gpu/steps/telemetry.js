import { setTimeout as sleep } from "node:timers/promises";
import { round } from "../lab.js";

/** Three instances, idle, at full load and at half duty: what the server says of each. */
export const telemetry = {
  name: "telemetry of each instance",
  async prove(lab) {
    const loads = [
      ["idle", "cyd", "H200:1g.18gb", 0, (share) => share <= 1],
      ["full", "ada", "H200:3g.71gb", 100, (share) => share >= 95],
      ["half", "ben", "H200:2g.35gb", 50, (share) => Math.abs(share - 50) <= 5],
    ];
    const ids = [];
    try {
      for (const [, tenant, gpus, percent] of loads)
        ids.push(await lab.submit(tenant, gpus, ["duty", String(percent), "120"]));
      for (const id of ids) await lab.said(id, "its load", (line) => line.ready);
      await sleep(8_000);
      const samples = new Map(ids.map((id) => [id, []]));
      for (let i = 0; i < 10; i++) {
        await sleep(2_000);
        const { rows } = await lab.must("GET", "/v1/top?by=job");
        for (const row of rows) if (row.activity !== undefined) samples.get(row.key)?.push(row.activity);
      }
      const seen = loads.map(([name, , , , fits], index) => {
        const values = samples.get(ids[index]);
        const mean = values.length === 0 ? undefined : values.reduce((a, b) => a + b, 0) / values.length;
        return {
          name,
          percent: mean && round(mean, 1),
          samples: values.length,
          fits: mean !== undefined && fits(mean),
        };
      });
      return { passed: seen.every((each) => each.fits), seen };
    } finally {
      await lab.end(...ids);
    }
  },
};
