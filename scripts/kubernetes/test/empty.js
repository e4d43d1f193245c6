import { until } from "../../places/server.js";

const ofTessera = "tessera.dev/tenant";
const epochs = "/api/v1/namespaces/tessera-system/serviceaccounts/tessera-epoch";
const policies = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings";

/** Removes what a part left of Tessera in the lab, so that the next one begins as in a new cluster. */
export async function emptyLab({ api }) {
  const { items: bindings } = await api.get(policies);
  for (const { metadata } of bindings) {
    if (metadata.name.startsWith("tessera-")) await api.delete(`${policies}/${metadata.name}`).catch(unlessGone);
  }
  await until("the namespaces of tenants to go", 90_000, async () => {
    const { items: namespaces } = await api.get(`/api/v1/namespaces?labelSelector=${ofTessera}`);
    for (const { metadata } of namespaces) await emptyNamespace(api, metadata);
    return namespaces.length === 0;
  });
  await api.delete(epochs).catch(unlessGone);
}

/** Nothing takes care of its pods any more: they keep their finalizers until these are taken from them. */
async function emptyNamespace(api, { name, deletionTimestamp }) {
  const path = `/api/v1/namespaces/${name}`;
  if (deletionTimestamp === undefined) await api.delete(path).catch(unlessGone);
  const { items: pods } = await api.get(`${path}/pods`);
  for (const { metadata } of pods) {
    await api.merge(`${path}/pods/${metadata.name}`, { metadata: { finalizers: null } }).catch(unlessGone);
    await api.delete(`${path}/pods/${metadata.name}`, { gracePeriodSeconds: 0 }).catch(unlessGone);
  }
}

function unlessGone(error) {
  if (error.status !== 404 && error.status !== 409) throw error;
}
