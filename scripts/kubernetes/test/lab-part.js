import { podOf, pods, terminatedOf, untilPod } from "./pods.js";
import { Results } from "./results.js";

const kwok = { nodeSelector: { "node-kind": "kwok" } };
const finalizers = ["tessera.dev/report"];

/** The lab itself: what the other parts stand on. */
export async function testLab(lab, { say }) {
  const results = new Results(say);
  const { api } = lab;
  const ends = (name, options, expected) =>
    results.check(`a simulated pod ends: ${name}`, async () => {
      await api.post(pods, podOf(name, { ...kwok, ...options }));
      const { exitCode, reason } = terminatedOf(await untilPod(api, name, terminatedOf));
      await api.delete(`${pods}/${name}`);
      return `${exitCode} ${reason}` === expected || `${exitCode} ${reason}`;
    });
  await ends("well", { sim: "sim-run-for=200ms" }, "0 Completed");
  await ends("with-a-code", { sim: "sim-run-for=200ms sim-exit-code=3" }, "3 Error");
  await ends("out-of-memory", { sim: "sim-run-for=200ms sim-fail=oom" }, "137 OOMKilled");
  await ends("at-its-deadline", { activeDeadlineSeconds: 1 }, "143 Error");
  await results.check("a deleted simulated pod that a finalizer keeps ends, and goes with the finalizer", async () => {
    await api.post(pods, podOf("kept", { ...kwok, finalizers }));
    await untilPod(api, "kept", ({ status }) => status.phase === "Running");
    await api.delete(`${pods}/kept`);
    const { exitCode } = terminatedOf(await untilPod(api, "kept", terminatedOf));
    await api.merge(`${pods}/kept`, { metadata: { finalizers: null } });
    const left = await api.get(`${pods}/kept`).catch((error) => error.status);
    return (exitCode === 143 && left === 404) || `exit code ${exitCode}, then ${left?.metadata?.name ?? left}`;
  });
  await results.check("the API server and etcd come back with what they knew", async () => {
    const before = (await api.get("/api/v1/nodes")).items.length;
    await Promise.all([lab.daemons.etcd.kill(), lab.daemons.apiserver.kill()]);
    await lab.daemons.etcd.start();
    await lab.daemons.apiserver.start();
    const after = (await api.get("/api/v1/nodes")).items.length;
    return before === after || `${before} nodes, then ${after}`;
  });
  if (lab.realNodes.length > 0) await testRealNodes(lab, results);
  return results.summary;
}

async function testRealNodes({ api, realNodes }, results) {
  const on = ({ name }) => ({ nodeSelector: { "kubernetes.io/hostname": name } });
  const [one, other = one] = realNodes;
  await results.check("real pods find each other by name, on two nodes where there are two", async () => {
    const service = {
      clusterIP: "None",
      selector: { gang: "lab" },
      ports: [{ port: 80 }],
      publishNotReadyAddresses: true,
    };
    await api.post("/api/v1/namespaces/default/services", { metadata: { name: "gang" }, spec: service });
    const member = (name, node, line) => {
      const pod = podOf(name, { ...on(node), command: ["sh", "-c", line], hostname: name, subdomain: "gang" });
      return { ...pod, metadata: { ...pod.metadata, labels: { gang: "lab" } } };
    };
    await api.post(pods, member("first", one, "nc -l -p 5000 -e cat; exit 7"));
    const ask =
      "for n in 1 2 3 4 5 6 7 8 9; do echo found | nc -w 2 first.gang 5000 | grep found && exit 5; sleep 1; done";
    await api.post(pods, member("second", other, ask));
    const codes = [];
    for (const name of ["first", "second"]) {
      codes.push(terminatedOf(await untilPod(api, name, terminatedOf)).exitCode);
      await api.delete(`${pods}/${name}`);
    }
    await api.delete("/api/v1/namespaces/default/services/gang");
    return codes.join() === "7,5" || codes;
  });
  await results.check("a broken device is not offered", async () => {
    const free = async (count) => {
      for (let tries = 0; tries < 300; tries++) {
        const { status } = await api.get(`/api/v1/nodes/${one.name}`);
        if (Number(status.allocatable["nvidia.com/gpu"]) === count) return true;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      return `${count} devices were never offered`;
    };
    one.breakGpus(3);
    const fewer = await free(7);
    one.breakGpus();
    return fewer === true ? free(8) : fewer;
  });
}
