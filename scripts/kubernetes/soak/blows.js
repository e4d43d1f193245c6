import { setTimeout as sleep } from "node:timers/promises";
import { kwokNode } from "../lab/kwok-nodes.js";

const podsDeleted = 20;
const nodesRemoved = 3;

/**
 * What is done to the cluster and to Tessera while work goes on, by name. Each returns when what it broke has been put right, not when
 * everything has recovered.
 */
export const blows = {
  /** SIGKILL, then a new server on the same data. */
  async tesseraKilled({ killTessera, startTessera }) {
    await killTessera();
    await sleep(1_000);
    await startTessera();
  },
  async apiServerKilled({ lab }) {
    await lab.daemons.apiserver.kill();
    await sleep(2_000);
    await lab.daemons.apiserver.start();
  },
  async etcdKilled({ lab }) {
    await lab.daemons.etcd.kill();
    await sleep(2_000);
    await lab.daemons.etcd.start();
  },
  /** Connections between Tessera and the API server break, and new ones are refused. */
  async cutOff({ proxy }) {
    proxy.cut();
    await sleep(3_000);
    proxy.mend();
  },
  /** Nothing breaks and nothing comes through, which only time-outs find out. */
  async silenced({ proxy }) {
    proxy.cut({ silent: true });
    await sleep(3_000);
    proxy.mend();
  },
  /** Somebody with the right to do so deletes pods, some of them without grace. */
  async podsDeleted({ lab, observer, random }) {
    const running = shuffled(observer.running(), random).slice(0, podsDeleted);
    for (const [no, { uid, namespace, name }] of running.entries()) {
      observer.noteDeleted(uid);
      const grace = no % 2 === 0 ? { gracePeriodSeconds: 0 } : {};
      await lab.api.delete(`/api/v1/namespaces/${namespace}/pods/${name}`, grace).catch(() => {});
    }
  },
  /** Nodes vanish with what runs on them, and come back empty. */
  async nodesRemoved({ lab, observer, nodes, random }) {
    const numbers = shuffled([...Array(nodes).keys()], random).slice(0, nodesRemoved);
    const removed = numbers.map((no) => kwokNode(no));
    for (const { metadata } of removed) {
      observer.noteRemoved(metadata.name);
      await lab.api.delete(`/api/v1/nodes/${metadata.name}`);
      observer.noteRemoved(metadata.name); // what came there meanwhile
    }
    await sleep(3_000);
    for (const node of removed) await lab.api.post("/api/v1/nodes", node);
  },
  /** Tessera dies while it cannot reach the cluster, and comes back when it can. */
  async killedWhileCutOff({ proxy, killTessera, startTessera }) {
    proxy.cut();
    await sleep(500);
    await killTessera();
    proxy.mend();
    await startTessera();
  },
};

function shuffled(items, random) {
  const all = [...items];
  for (let i = all.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [all[i], all[j]] = [all[j], all[i]];
  }
  return all;
}
