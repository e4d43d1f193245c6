import { userApi } from "./identity.js";
import { engine, epoch, image, namespaces, orderOf, podsOf, tenants, until } from "./scene.js";

const policies = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings";
const epochObject = "/api/v1/namespaces/tessera-system/serviceaccounts/tessera-epoch";
const command = "sleep 1000";

/** Whether the API server refuses a call, and says this. */
async function refused(call, saying) {
  try {
    await call();
    return false;
  } catch (error) {
    if (saying.test(error.message)) return true;
    throw error;
  }
}

/** Takes a binding of a policy away until the attempt gets through, then gives it back and waits until it holds again. */
async function withoutPolicy(scene, name, attempt, saying) {
  const binding = await scene.admin.get(`${policies}/${name}`);
  await scene.admin.delete(`${policies}/${name}`);
  const passes = await until(`to pass without ${name}`, async () => !(await refused(attempt, saying)), 20_000).catch(
    () => false,
  );
  const { uid, resourceVersion, creationTimestamp, managedFields, ...metadata } = binding.metadata;
  await scene.admin.post(policies, { ...binding, metadata });
  await until(`${name} to hold again`, () => refused(attempt, saying), 20_000);
  return passes;
}

const make = (scene, pod) => scene.tessera.post(`${podsOf(pod.metadata.namespace)}?dryRun=All`, pod);

/** A pod that breaks Pod Security: refused, and let through where the namespace is not labelled. */
function security(name, spoil, saying) {
  return {
    name,
    async run(scene) {
      const pod = await scene.pod(orderOf(tenants.red, "job_spoilt"), command, spoil);
      const attempt = () => make(scene, pod);
      const holds = await refused(attempt, saying);
      scene.leave();
      const label = { "pod-security.kubernetes.io/enforce": null };
      await scene.admin.merge(`/api/v1/namespaces/${namespaces.red}`, { metadata: { labels: label } });
      const fallsWithout = await until("Pod Security to be off", async () => !(await refused(attempt, saying)), 10_000);
      await scene.keep();
      const comesBack = await until("Pod Security to be on", () => refused(attempt, saying));
      return { holds, fallsWithout, comesBack };
    },
  };
}

const inContainer = (fields) => (pod) => {
  Object.assign(pod.spec.containers[0].securityContext, fields);
  return structuredClone(pod);
};

/** Held because no scheduler looks at it. */
const unscheduled = ({ metadata, spec: { schedulingGates: _, ...spec } }) => ({
  metadata,
  spec: { ...spec, schedulerName: "tessera" },
});

/** A person with all rights in the namespace of the tenant, as a cluster's owner may have given them. */
async function memberOf(scene) {
  const path = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespaces.red}/rolebindings`;
  const subjects = [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "mallory" }];
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "admin" };
  await scene.admin.post(path, { metadata: { name: "mallory" }, roleRef, subjects }).catch(() => {});
  return userApi(scene.lab, "mallory");
}

export const admission = [
  security(
    "a pod cannot mount the host",
    (pod) => ({ ...pod, spec: { ...pod.spec, volumes: [{ name: "host", hostPath: { path: "/" } }] } }),
    /violates PodSecurity.*hostPath/,
  ),
  security(
    "a pod cannot be privileged",
    (pod) => inContainer({ privileged: true, allowPrivilegeEscalation: true })(structuredClone(pod)),
    /violates PodSecurity.*privileged/,
  ),
  security(
    "a pod cannot run as root",
    (pod) => ({
      ...pod,
      spec: { ...pod.spec, securityContext: { ...pod.spec.securityContext, runAsUser: 0, runAsNonRoot: false } },
    }),
    /violates PodSecurity.*runAsNonRoot/,
  ),
  security(
    "a pod cannot use the network of the host",
    (pod) => ({ ...pod, spec: { ...pod.spec, hostNetwork: true } }),
    /violates PodSecurity.*host namespaces/,
  ),
  {
    name: "a tenant cannot exceed its quota of GPUs",
    async run(scene) {
      const pod = await scene.pod(orderOf(tenants.red, "job_greedy"), command);
      pod.spec.containers[0].resources.limits["nvidia.com/gpu"] = "5";
      const saying = /exceeded quota: tessera.*requests\.nvidia\.com\/gpu=5.*limited: requests\.nvidia\.com\/gpu=4/;
      const attempt = () => make(scene, pod);
      const holds = await until("the quota to be counted", () => refused(attempt, saying).catch(() => false));
      scene.leave();
      await scene.admin.delete(`/api/v1/namespaces/${namespaces.red}/resourcequotas/tessera`);
      const fallsWithout = await until("to pass without a quota", async () => !(await refused(attempt, saying)));
      await scene.keep();
      const comesBack = await until("the quota to be back", () => refused(attempt, saying).catch(() => false));
      return { holds, fallsWithout, comesBack };
    },
  },
  {
    name: "an image that is not on the tenant's list is refused",
    async run(scene) {
      const pod = await scene.pod(orderOf(tenants.red, "job_image"), command);
      pod.spec.containers[0].image = "elsewhere.example/x:1";
      const saying = /images of this tenant must begin with one of localhost\/; this pod has elsewhere\.example/;
      const holds = await refused(() => make(scene, pod), saying);
      const listed = structuredClone(pod);
      listed.spec.containers[0].image = image;
      const listedPasses = !(await refused(() => make(scene, listed), saying));
      const fallsWithout = await withoutPolicy(scene, "tessera-pods", () => make(scene, pod), saying);
      return { holds, listedPasses, fallsWithout };
    },
  },
  {
    name: "people with all rights in the namespace make no pods there",
    async run(scene) {
      const member = await memberOf(scene);
      const pod = await scene.pod(orderOf(tenants.red, "job_bypass"), command);
      const saying = /made by Tessera alone/;
      const attempt = () => member.post(`${podsOf(namespaces.red)}?dryRun=All`, pod);
      const holds = await until("rights of mallory", () => refused(attempt, saying).catch(() => false));
      const fallsWithout = await withoutPolicy(scene, "tessera-pods", attempt, saying);
      member.close();
      return { holds, fallsWithout };
    },
  },
  {
    name: "people with all rights in the namespace release no pod and change no label",
    async run(scene) {
      const member = await memberOf(scene);
      const pod = await scene.pod(orderOf(tenants.red, "job_held"), command);
      await scene.tessera.post(podsOf(namespaces.red), pod);
      const path = `${podsOf(namespaces.red)}/${pod.metadata.name}?dryRun=All`;
      const release = () => member.merge(path, { spec: { schedulingGates: null } });
      const saying = /gates and images of a tenant's pod are Tessera's/;
      const holds = await until("rights of mallory", () => refused(release, saying).catch(() => false));
      const relabel = () => member.merge(path, { metadata: { labels: { "tessera.dev/job": "job_other" } } });
      const labelHolds = await refused(relabel, /labels of a tenant's pod are Tessera's/);
      const fallsWithout = await withoutPolicy(scene, "tessera-pods", release, saying);
      await scene.admin.delete(`${podsOf(namespaces.red)}/${pod.metadata.name}`);
      member.close();
      return { holds, labelHolds, fallsWithout };
    },
  },
  {
    name: "a control plane that was replaced makes no pod and releases none",
    async run(scene) {
      const saying = /this control plane was replaced: its epoch is 4, and 5 is in charge/;
      const pod = await scene.pod(orderOf(tenants.red, "job_late"), command);
      const late = structuredClone(pod);
      late.metadata.annotations["tessera.dev/epoch"] = String(epoch - 1);
      const makeHolds = await refused(() => make(scene, late), saying);
      await scene.tessera.post(podsOf(namespaces.red), pod);
      const path = `${podsOf(namespaces.red)}/${pod.metadata.name}?dryRun=All`;
      const annotations = { "tessera.dev/epoch": String(epoch - 1) };
      const attempt = () => scene.tessera.merge(path, { metadata: { annotations }, spec: { schedulingGates: null } });
      const holds = await refused(attempt, saying);
      const fallsWithout = await withoutPolicy(scene, "tessera-pods", attempt, saying);
      await scene.admin.delete(`${podsOf(namespaces.red)}/${pod.metadata.name}`);
      return { makeHolds, holds, fallsWithout };
    },
  },
  {
    name: "only the control plane in charge binds a pod that no scheduler looks at",
    async run(scene) {
      const pod = await scene.pod(orderOf(tenants.red, "job_bound"), command, unscheduled);
      await scene.tessera.post(podsOf(namespaces.red), pod);
      const path = `${podsOf(namespaces.red)}/${pod.metadata.name}/binding?dryRun=All`;
      const target = { kind: "Node", name: "real-1" };
      const bind = (by, withEpoch) => () => {
        const { name, namespace, labels } = pod.metadata;
        const annotations = { "tessera.dev/epoch": String(withEpoch) };
        return by.post(path, { metadata: { name, namespace, labels, annotations }, target });
      };
      const late = bind(scene.tessera, epoch - 1);
      const replaced = /this control plane was replaced: its epoch is 4, and 5 is in charge/;
      const holds = await refused(late, replaced);
      const byOthers = /pods of a tenant are bound by Tessera/;
      const othersHold = await refused(bind(scene.admin, epoch), byOthers);
      const inChargePasses = !(await refused(bind(scene.tessera, epoch), replaced));
      const fallsWithout = await withoutPolicy(scene, "tessera-bindings", late, replaced);
      await scene.admin.delete(`${podsOf(namespaces.red)}/${pod.metadata.name}`);
      return { holds, othersHold, inChargePasses, fallsWithout };
    },
  },
  {
    name: "a pod that is not held is not made",
    async run(scene) {
      const saying = /a pod of a tenant must be held/;
      const loose = ({ metadata, spec: { schedulingGates: _, ...spec } }) => ({ metadata, spec });
      const placed = (pod) => ({ ...unscheduled(pod), spec: { ...unscheduled(pod).spec, nodeName: "real-1" } });
      const pods = await Promise.all(
        [loose, placed].map((change) => scene.pod(orderOf(tenants.red, "job_loose"), command, change)),
      );
      const [looseHolds, placedHolds] = await Promise.all(pods.map((pod) => refused(() => make(scene, pod), saying)));
      const fallsWithout = await withoutPolicy(scene, "tessera-pods", () => make(scene, pods[0]), saying);
      return { looseHolds, placedHolds, fallsWithout };
    },
  },
  {
    // The API server ends its watch of some kinds of parameters with the last binding, and would compare with what it saw last.
    name: "an epoch counts that is noted after the policy was taken away and given back",
    async run(scene) {
      const pod = await scene.pod(orderOf(tenants.red, "job_between"), command);
      const late = structuredClone(pod);
      late.metadata.annotations["tessera.dev/epoch"] = String(epoch - 1);
      const fallsWithout = await withoutPolicy(
        scene,
        "tessera-pods",
        () => make(scene, late),
        /its epoch is 4, and 5 is/,
      );
      const attempt = () => make(scene, pod);
      const saying = /its epoch is 5, and 6 is in charge/;
      const passesBefore = !(await refused(attempt, saying));
      await scene.takeOver(epoch + 1);
      const holds = await until("the next epoch to count", () => refused(attempt, saying)).catch(() => false);
      // Epochs only move forward, for all but the owner of the cluster.
      await scene.admin.merge(epochObject, {
        metadata: { annotations: { [`epoch.tessera.dev/${engine}`]: `${epoch}` } },
      });
      const comesBack = await until("the epoch of before", async () => !(await refused(attempt, saying)));
      return { fallsWithout, passesBefore, holds, comesBack };
    },
  },
  {
    name: "without the object of the epochs no pod of a tenant is made, and pods of others are",
    async run(scene) {
      await scene.admin.delete(epochObject);
      const pod = await scene.pod(orderOf(tenants.red, "job_early"), command);
      const saying = /no params found/;
      const holds = await until("the object to be gone", () => refused(() => make(scene, pod), saying));
      const other = { metadata: { name: "other" }, spec: { containers: [{ name: "other", image }] } };
      await scene.admin.post(`${podsOf("default")}?dryRun=All`, other);
      await scene.takeOver(epoch);
      const comesBack = await until(
        "the object to be back",
        async () => !(await refused(() => make(scene, pod), saying)),
      );
      return { holds, othersPass: true, comesBack };
    },
  },
  {
    name: "people with all rights in the namespace open no way through its walls",
    async run(scene) {
      const member = await memberOf(scene);
      const path = `/apis/networking.k8s.io/v1/namespaces/${namespaces.red}/networkpolicies?dryRun=All`;
      const spec = { podSelector: {}, ingress: [{}], policyTypes: ["Ingress"] };
      const attempt = () => member.post(path, { metadata: { name: "open" }, spec });
      const saying = /what stands around a tenant is made by Tessera/;
      const holds = await until("rights of mallory", () => refused(attempt, saying).catch(() => false));
      const fallsWithout = await withoutPolicy(scene, "tessera-walls", attempt, saying);
      member.close();
      return { holds, fallsWithout };
    },
  },
  {
    name: "Tessera's own identity reaches no namespace of others",
    async run(scene) {
      const path = "/apis/rbac.authorization.k8s.io/v1/namespaces/kube-system/rolebindings?dryRun=All";
      const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "tessera-tenant" };
      const subjects = [{ kind: "ServiceAccount", name: "tessera", namespace: "tessera-system" }];
      const attempt = () => scene.tessera.post(path, { metadata: { name: "t" }, roleRef, subjects });
      const saying = /Tessera changes namespaces of its tenants only, not kube-system/;
      const holds = await refused(attempt, saying);
      const noMoreThanIts = await refused(
        () =>
          scene.tessera.post(path.replace("kube-system", namespaces.red), {
            metadata: { name: "t" },
            roleRef: { ...roleRef, name: "cluster-admin" },
            subjects,
          }),
        /is attempting to grant RBAC permissions not currently held/,
      );
      const noSecrets = await refused(() => scene.tessera.get("/api/v1/namespaces/kube-system/secrets"), /cannot list/);
      const noSecretsOfTenants = await refused(
        () => scene.tessera.get(`/api/v1/namespaces/${namespaces.red}/secrets`),
        /cannot list/,
      );
      const fallsWithout = await withoutPolicy(scene, "tessera-reach", attempt, saying);
      return { holds, noMoreThanIts, noSecrets, noSecretsOfTenants, fallsWithout };
    },
  },
  {
    name: "the token of a tenant's namespace opens nothing",
    async run(scene) {
      const stolen = userApi(scene.lab, `system:serviceaccount:${namespaces.red}:default`, [
        "system:serviceaccounts",
        `system:serviceaccounts:${namespaces.red}`,
        "system:authenticated",
      ]);
      const asks = ["pods", "secrets", "configmaps", "services"].map(
        (kind) => `/api/v1/namespaces/${namespaces.red}/${kind}`,
      );
      const answers = [];
      for (const path of [...asks, "/api/v1/nodes", "/api/v1/namespaces"]) {
        answers.push(await refused(() => stolen.get(path), /cannot list/));
      }
      stolen.close();
      return { holds: answers.every(Boolean) };
    },
  },
];
