import { until } from "../../places/server.js";
import { openTessera } from "../tessera.js";
import { Results } from "./results.js";

/** Small enough for a machine with two cores. */
const small = { cpus: 0.05, memory: "48MiB" };
const real = { where: { "node-kind": "real" } };

/**
 * Rank 0 waits until all others have knocked and answers each; they go on once they are answered. The first attempt then
 * works until it is told to leave, and saves; the second one works for a moment.
 */
const script = `
save() { echo "rank $RANK saves at step $step"; exit 0; }
trap save USR1
if [ "$RANK" = 0 ]; then
  printf '#!/bin/sh\\nread knock; echo "$knock" >> found; echo welcome\\n' > answer
  chmod +x answer; touch found
  nc -ll -p "$MASTER_PORT" -e ./answer &
  until [ "$(sort -u found | wc -l)" = $((WORLD_SIZE - 1)) ]; do sleep 0.2; done
  echo "all $WORLD_SIZE ranks found each other on $TESS_NODE"
else
  until echo "$RANK" | nc -w 2 "$MASTER_ADDR" "$MASTER_PORT" | grep -q welcome; do sleep 0.2; done
  echo "rank $RANK on $TESS_NODE was welcomed"
fi
step=0
while [ "$TESS_ATTEMPT" = 1 ] || [ $step -lt 20 ]; do sleep 0.1; step=$((step + 1)); done
echo "rank $RANK is done"
kill %1 2>/dev/null; exit 0`;

/** A gang on two real nodes through a real server: found each other, taken back by the owner, requeued, finished, metered. */
export async function testGang(lab, { say }) {
  const results = new Results(say);
  const nodes = (await lab.api.get("/api/v1/nodes")).items.length;
  const server = await openTessera({ kubeconfig: lab.kubeconfig, nodes, name: "tess-gang" });
  const job = async (id) => (await server.api("GET", `/v1/jobs/${id}`)).json;
  const post = async (path, body) => {
    const { status, json, text } = await server.api("POST", path, body);
    if (status >= 300) throw new Error(`${path}: ${status} ${text}`);
    return json;
  };
  const state = (id, wanted) =>
    until(`${id} ${wanted}`, 90_000, async () => (await job(id)).state === wanted).catch(async (error) => {
      throw new Error(`${error.message}; ${await server.tess("explain", id).catch(({ stderr }) => stderr)}`);
    });
  try {
    await post("/v1/accounts", { path: "owner", guarantee: { A100: 16 } });
    await post("/v1/accounts", { path: "borrower" });
    const gang = { name: "gang", project: "borrower", members: 4, gpus: "A100:4", run: script, ...small, ...real };
    const { id } = await post("/v1/jobs", { ...gang, checkpoint: { signal: "SIGUSR1", grace: "20s" } });
    await results.check("four members on two nodes start and find each other", async () => {
      await state(id, "running");
      const found = () => server.tess("logs", id, "--attempt", "1").then((text) => /all 4 ranks found/.test(text));
      await until("the gang to find itself", 60_000, found);
      const { items } = await lab.api.get(`/api/v1/pods?labelSelector=tessera.dev/job=${id}`);
      const used = new Set(items.map(({ spec }) => spec.nodeName));
      return (items.length === 4 && used.size === 2) || `${items.length} pods on ${[...used].join(", ")}`;
    });
    const mine = await post("/v1/jobs", {
      ...{ name: "mine", project: "owner", gpus: "A100:8", run: "sleep 3" },
      ...{ ...small, ...real },
    });
    await results.check("the owner of the GPUs takes them back, and the gang saves first", async () => {
      await state(mine.id, "running");
      const text = await server.tess("logs", id, "--attempt", "1");
      const saved = [0, 1, 2, 3].filter((rank) => new RegExp(`rank ${rank} saves at step`).test(text));
      return saved.length === 4 || `of the ranks only ${saved.join(", ")} saved: ${text}`;
    });
    await results.check("both end well, the gang at its second attempt", async () => {
      await state(mine.id, "ended");
      await state(id, "ended");
      const [first, second] = [await job(mine.id), await job(id)];
      const attempts = second.attempts.map(({ result }) => result).join(", ");
      const good = first.outcome === "succeeded" && second.outcome === "succeeded" && second.attempts.length === 2;
      return good || `${first.outcome}, ${second.outcome}: ${attempts}`;
    });
    await results.check("the usage of all is balanced", async () => {
      const { json } = await server.api("GET", "/v1/usage?by=job&from=1d");
      const rows = Object.fromEntries(json.rows.map(({ key, unitMs }) => [key, Number(unitMs)]));
      const metered = rows[id] > 0 && rows[mine.id] > 0;
      return (Number(json.fleet.differenceUnitMs) === 0 && metered) || JSON.stringify(json);
    });
    return results.summary;
  } finally {
    await server.close();
  }
}
