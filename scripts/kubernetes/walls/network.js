import { execFile } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { controlPlaneBin } from "../lab/cache.js";
import { kubectl, tokenConfig } from "./identity.js";
import { namespaces, orderOf, podsOf, tenants, until } from "./scene.js";

const run = promisify(execFile);
const port = 8080;
const listen = `while :; do nc -l -p ${port} -e echo hello; done`;
const policies = (namespace) => `/apis/networking.k8s.io/v1/namespaces/${namespace}/networkpolicies`;
/** Policies reach the firewall of a node some seconds after the API server has them. */
const firewallMs = 40_000;

/** Runs a command in a pod; its exit code. */
async function inside(scene, { metadata: { namespace, name } }, command) {
  const words = ["-n", namespace, "exec", name, "--", "sh", "-c", command];
  const env = { ...process.env, KUBECONFIG: scene.lab.kubeconfig };
  try {
    const { stdout } = await run(join(controlPlaneBin, "kubectl"), words, { env, timeout: 30_000 });
    return { code: 0, text: stdout };
  } catch (error) {
    return { code: error.code ?? 1, text: `${error.stdout}${error.stderr}` };
  }
}

const connects = async (scene, pod, address, at = port) =>
  (await inside(scene, pod, `nc -w 2 ${address} ${at} </dev/null`)).code === 0;

/** Connects as soon as it can, false where it cannot for a while. */
const comesToConnect = (scene, pod, address, at) =>
  until("a connection", () => connects(scene, pod, address, at), firewallMs).catch(() => false);
const comesToFail = (scene, pod, address, at) =>
  until("no connection", async () => !(await connects(scene, pod, address, at)), firewallMs).catch(() => false);

async function end(scene, ...pods) {
  for (const { metadata } of pods) {
    await scene.admin
      .delete(`${podsOf(metadata.namespace)}/${metadata.name}`, { gracePeriodSeconds: 0 })
      .catch(() => {});
  }
}

export const network = [
  {
    name: "a pod of another tenant cannot connect",
    async run(scene) {
      const server = await scene.run(orderOf(tenants.red, "job_serve"), listen);
      const stranger = await scene.run(orderOf(tenants.blue, "job_stranger"), "sleep 1000");
      const neighbour = await scene.run(orderOf(tenants.red, "job_neighbour"), "sleep 1000");
      const holds = await comesToFail(scene, stranger, server.address);
      const otherJobsHold = await comesToFail(scene, neighbour, server.address);
      scene.leave();
      for (const namespace of Object.values(namespaces)) await scene.admin.delete(policies(namespace));
      const fallsWithout = await comesToConnect(scene, stranger, server.address);
      await scene.keep();
      const comesBack = await comesToFail(scene, stranger, server.address);
      await end(scene, server, stranger, neighbour);
      return { holds, otherJobsHold, fallsWithout, comesBack };
    },
  },
  {
    name: "members of one gang reach each other",
    async run(scene) {
      const order = (rank) => orderOf(tenants.red, "job_gang", { size: 2, rank });
      const [first, second] = [await scene.run(order(0), listen), await scene.run(order(1), "sleep 1000")];
      const holds = await comesToConnect(scene, second, first.address);
      scene.leave();
      await scene.admin.delete(`${policies(namespaces.red)}/tessera-job-job-gang`);
      const fallsWithout = await comesToFail(scene, second, first.address);
      await scene.keep();
      await scene.ensure(order(0));
      const comesBack = await comesToConnect(scene, second, first.address);
      await end(scene, first, second);
      await scene.sweep(() => false);
      const { items } = await scene.admin.get(policies(namespaces.red));
      return { holds, fallsWithout, comesBack, swept: !items.some(({ metadata }) => /job-gang/.test(metadata.name)) };
    },
  },
  {
    name: "a pod reaches what its job declares, and nothing else",
    async run(scene) {
      const server = await scene.run(orderOf(tenants.blue, "job_other"), listen);
      const opened = { metadata: { name: "open" }, spec: { podSelector: {}, ingress: [{}], policyTypes: ["Ingress"] } };
      await scene.admin.post(policies(namespaces.blue), opened); // by the cluster's administrator, for this check alone
      const declared = { egress: "declared", allow: [`${server.address}:${port}`] };
      const pod = await scene.run(orderOf(tenants.red, "job_declared", { network: declared }), "sleep 1000");
      const plain = await scene.run(orderOf(tenants.red, "job_plain"), "sleep 1000");
      const reaches = await comesToConnect(scene, pod, server.address);
      const holds = await comesToFail(scene, plain, server.address);
      await scene.admin.delete(`${policies(namespaces.blue)}/open`);
      await end(scene, server, pod, plain);
      await scene.sweep(() => false);
      return { reaches, holds };
    },
  },
  {
    name: "a pod has no token and cannot read the API",
    async run(scene) {
      const token = "/var/run/secrets/kubernetes.io/serviceaccount/token";
      const found = async (pod) => (await inside(scene, pod, `cat ${token}`)).text.trim();
      const reads = async (pod) => {
        const user = tokenConfig(scene.lab, "stolen", await found(pod));
        try {
          return kubectl(scene.lab, ["-n", namespaces.red, "get", "pods"], { user }) !== "";
        } catch {
          return false;
        }
      };
      const pod = await scene.run(orderOf(tenants.red, "job_api"), "sleep 1000");
      const noToken = (await inside(scene, pod, `ls ${token}`)).code !== 0;
      const holds = !(await reads(pod));
      await end(scene, pod);
      // The account gives a token again, and may read: what its two walls keep from a job.
      const open = await scene.pod(orderOf(tenants.red, "job_token"), "sleep 1000");
      scene.leave();
      const account = `/api/v1/namespaces/${namespaces.red}/serviceaccounts/tessera-job`;
      await scene.admin.merge(account, { automountServiceAccountToken: true });
      await sleep(2_000); // admission knows accounts from a copy
      const bindings = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespaces.red}/rolebindings`;
      const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" };
      const subjects = [{ kind: "ServiceAccount", name: "tessera-job", namespace: namespaces.red }];
      await scene.tessera.post(podsOf(namespaces.red), open);
      await scene.release(open);
      const tokenWithout = await until("a token", async () => (await inside(scene, open, `ls ${token}`)).code === 0);
      const refusedStill = !(await reads(open));
      await scene.admin.post(bindings, { metadata: { name: "leak" }, roleRef, subjects });
      const fallsWithout = await until("to read the API", () => reads(open)).catch(() => false);
      await scene.admin.delete(`${bindings}/leak`);
      await end(scene, open);
      await scene.keep();
      return { noToken, holds, tokenWithout, refusedStill, fallsWithout };
    },
  },
];
