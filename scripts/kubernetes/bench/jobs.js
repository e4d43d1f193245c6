import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Target } from "../../../packages/sim/dist/soak/target.js";
import { engineName } from "../tessera.js";
import { atOnce } from "./at-once.js";

const clients = 32;
const project = "local";

/** The same as jobs of Tessera, through the API of a real server. */
export function tesseraJobs(server, api) {
  const target = new Target();
  target.set(server.url);
  target.token = readFileSync(join(server.data, "owner.token"), "utf8").trim();
  const ids = [];
  return {
    async submit(groups, note) {
      await atOnce(clients, groups, async ({ name, members, gpus }) => {
        const body = { name, project, engine: engineName, run: "sleep infinity", gpus: `H100:${gpus}`, nodes: members };
        const beganAt = performance.now();
        const { answer } = await target.insist("POST", "/v1/jobs", body, `bench-${name}`);
        if (answer.status !== 201) throw new Error(`${name}: ${answer.status} ${JSON.stringify(answer.body)}`);
        ids.push(answer.body.id);
        note(answer.body.id, beganAt);
      });
    },
    async clear() {
      await atOnce(clients, ids.splice(0), (id) => target.insist("POST", `/v1/jobs/${id}/cancel`, {}));
      for (;;) {
        const { items } = await api.get("/api/v1/pods?labelSelector=tessera.dev/job&limit=1");
        if (items.length === 0) return;
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    },
    close: () => target.clear(),
  };
}
