import { setTimeout as sleep } from "node:timers/promises";
import { startTestPostgres } from "../../../packages/server/dist/testing/postgres.js";
import { until } from "../../places/server.js";
import { PodObserver } from "../soak/observer.js";
import { engineName, openTessera } from "../tessera.js";
import { Results } from "./results.js";

const jobs = 40;
const lease = ["--lease-seconds", "6"];

/**
 * Two servers at once: one stands still in the midst of starting jobs, another takes over, and the first goes on. Whatever it
 * still has under way must start nothing.
 */
export async function testFencing(lab, { say }) {
  const results = new Results(say);
  const postgres = await startTestPostgres();
  if (postgres === undefined) throw new Error("two servers need a PostgreSQL, and there is none to test with");
  const observer = new PodObserver(lab.api);
  let server;
  try {
    const args = ["--database", await postgres.freshDatabase(), ...lease];
    const nodes = (await lab.api.get("/api/v1/nodes")).items.length;
    server = await openTessera({ kubeconfig: lab.kubeconfig, nodes, name: "tess-fence", args });
    const ids = [];
    for (let no = 0; no < jobs; no++) {
      const env = { SIM: "sim-run-for=3s" };
      const body = { name: `fence-${no}`, project: "local", engine: engineName, gpus: "H100:1", run: "sleep 3", env };
      const { status, json, text } = await server.api("POST", "/v1/jobs", body);
      if (status !== 201) throw new Error(text);
      ids.push(json.id);
    }
    const old = server.pid;
    process.kill(old, "SIGSTOP");
    await server.start();
    process.kill(old, "SIGCONT");
    await results.check("the server that was replaced steps down", async () => {
      await until("the old server to end", 60_000, () => !isAlive(old));
      return true;
    });
    await results.check(`each of ${jobs} jobs ran once, and ended well`, async () => {
      await until("all jobs to end", 120_000, async () => {
        const { json } = await server.api("GET", "/v1/jobs?state=live&limit=1000");
        return json.items.length === 0;
      });
      await sleep(500);
      const ends = [];
      for (const id of ids) ends.push((await server.api("GET", `/v1/jobs/${id}`)).json.outcome);
      const bad = ends.filter((outcome) => outcome !== "succeeded");
      const ran = observer.ran();
      const twice = ran.length - new Set(ran.map(({ job }) => job)).size;
      if (bad.length > 0 || ran.length !== jobs || twice > 0) return `${bad}; ${ran.length} pods ran, ${twice} again`;
      return observer.faults.length === 0 || observer.faults.join("; ");
    });
    await results.check("nothing that was held stays behind", async () => {
      await until("all pods to go", 60_000, async () => {
        const { items } = await lab.api.get("/api/v1/pods?labelSelector=tessera.dev/job");
        return items.length === 0;
      });
      return true;
    });
    return results.summary;
  } finally {
    await observer.close();
    await server?.close();
    await postgres.stop();
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
