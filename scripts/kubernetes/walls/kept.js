import { namespaceOf } from "../../../packages/engine-kubernetes/dist/names.js";
import { namespaces, orderOf, podsOf, tenants, until } from "./scene.js";

const kept = [];
const inside = `/namespaces/${namespaces.red}`;
const core = `/api/v1${inside}`;
const net = `/apis/networking.k8s.io/v1${inside}/networkpolicies`;

/** Each object of a tenant, and a change that would open it. */
const objects = {
  [`${core}/resourcequotas/tessera`]: { spec: { hard: { "requests.nvidia.com/gpu": "400" } } },
  [`${core}/limitranges/tessera`]: { spec: { limits: [] } },
  [`${core}/serviceaccounts/tessera-job`]: { automountServiceAccountToken: true },
  [`${core}/serviceaccounts/default`]: { automountServiceAccountToken: true },
  [`${net}/tessera-deny`]: { spec: { ingress: [{}] } },
  [`${net}/tessera-names`]: { spec: { egress: [{}] } },
  [`${net}/tessera-outside`]: { spec: { egress: [{}] } },
  [`/apis/rbac.authorization.k8s.io/v1${inside}/rolebindings/tessera`]: { subjects: [] },
};

const partOf = ({ spec, automountServiceAccountToken, subjects, metadata }) =>
  JSON.stringify({ spec, automountServiceAccountToken, subjects, labels: metadata.labels });

for (const [path, change] of Object.entries(objects)) {
  kept.push({
    name: `${path.split("/").slice(-2).join("/")} is put right when it is changed, and made again when it is deleted`,
    async run(scene) {
      const before = partOf(await scene.admin.get(path));
      const isBack = async () => partOf(await scene.admin.get(path)) === before;
      const changed = partOf(await scene.admin.merge(path, change)) !== before;
      const putRight = await until("it to be put right", () => isBack().catch(() => false));
      await scene.admin.delete(path);
      const madeAgain = await until("it to be made again", () => isBack().catch(() => false));
      return { changed, putRight, madeAgain };
    },
  });
}

kept.push({
  name: "a confidential tenant has its nodes to itself, for as long as it uses them",
  async run(scene) {
    const { items } = await scene.admin.get("/api/v1/nodes?labelSelector=node-kind=real");
    const node = items[0]?.metadata.name;
    if (node === undefined) return { node: false };
    const order = orderOf("ten_secret", "job_secret", { node, trust: "confidential" });
    const place = await scene.ensure(order);
    const taint = async () => {
      const { spec } = await scene.admin.get(`/api/v1/nodes/${node}`);
      return spec.taints?.find(({ key }) => key === "tessera.dev/tenant")?.value;
    };
    const tainted = (await taint()) === "ten_secret";
    const tolerates = place.tolerations.some(({ value }) => value === "ten_secret");
    const foreign = { name: "foreign", image: "localhost/busybox:1", command: ["sleep", "1000"] };
    const spec = { nodeName: undefined, nodeSelector: { "kubernetes.io/hostname": node }, containers: [foreign] };
    await scene.admin.post(podsOf("default"), { metadata: { name: "foreign" }, spec });
    const state = async () => (await scene.admin.get(`${podsOf("default")}/foreign`)).status;
    const holds = await until("it to be turned away", async () =>
      (await state()).conditions?.some(({ message = "" }) => /untolerated taint/.test(message)),
    );
    // The order of another tenant says that the node is empty: the taint goes at once.
    await scene.ensure(orderOf(tenants.blue, "job_next", { node }));
    const freed = (await taint()) === undefined;
    const fallsWithout = await until(
      "it to be placed",
      async () => (await state()).conditions?.some(({ type, status }) => type === "PodScheduled" && status === "True"),
      60_000,
    );
    await scene.admin.delete(`${podsOf("default")}/foreign`, { gracePeriodSeconds: 0 });
    return { tainted, tolerates, holds, freed, fallsWithout };
  },
});

kept.push({
  name: "a namespace that was deleted is made again with the next order of its tenant",
  async run(scene) {
    const order = orderOf("ten_gone", "job_gone");
    await scene.ensure(order);
    const path = `/api/v1/namespaces/${namespaceOf("ten_gone")}`;
    const { metadata } = await scene.admin.get(path);
    await scene.admin.delete(path);
    await until(
      "the namespace to be gone",
      () =>
        scene.admin.get(path).then(
          () => false,
          () => true,
        ),
      60_000,
    );
    await scene.ensure(order);
    const again = await scene.admin.get(path);
    return { madeAgain: again.metadata.uid !== metadata.uid };
  },
});

export { kept };
