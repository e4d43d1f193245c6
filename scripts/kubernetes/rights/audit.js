import { readFileSync } from "node:fs";
import { join } from "node:path";

const nameOf = ({ group, resource, verb }) => `${verb} ${resource}${group === "" ? "" : `.${group}`}`;

/** What the API server has written down so far of what Tessera's account asked for. */
export function record(lab) {
  return readFileSync(join(lab.folder, "log", "audit.log"), "utf8")
    .split("\n")
    .filter(Boolean);
}

/** What Tessera's account asked for after the first `from` lines of the record: allowed, and refused for want of rights. */
export function asked(lab, from) {
  const lines = record(lab).slice(from);
  const [allowed, forbidden] = [new Set(), new Set()];
  for (const { verb, objectRef, annotations = {} } of lines.map((line) => JSON.parse(line))) {
    if (objectRef?.resource === undefined) continue; // such as /version
    const { apiGroup: group = "", resource, subresource, namespace } = objectRef;
    const full = subresource === undefined ? resource : `${resource}/${subresource}`;
    const name = nameOf({ group, resource: full, verb });
    (annotations["authorization.k8s.io/decision"] === "allow" ? allowed : forbidden).add(`${name}${where(namespace)}`);
  }
  return { allowed, forbidden };
}

/** `of tenants`, `of tessera-system`, or everywhere. */
function where(namespace = "") {
  if (namespace.startsWith("tess-")) return " of tenants";
  return namespace === "" ? "" : ` of ${namespace}`;
}

/** Every verb that the manifest gives, with the role that gives it and the places where it counts. */
export async function given(lab) {
  const path = "/apis/rbac.authorization.k8s.io/v1";
  const roles = [
    { role: `${path}/clusterroles/tessera`, places: ["", " of tenants", " of tessera-system"] },
    { role: `${path}/clusterroles/tessera-tenant`, places: [" of tenants"] },
    { role: `${path}/namespaces/tessera-system/roles/tessera`, places: [" of tessera-system"] },
  ];
  const found = [];
  for (const { role, places } of roles) {
    const { rules } = await lab.api.get(role);
    for (const { apiGroups, resources, verbs } of rules) {
      for (const resource of resources) {
        for (const verb of verbs) {
          const name = nameOf({ group: apiGroups[0], resource, verb });
          found.push({
            role,
            resource,
            verb,
            group: apiGroups[0],
            name,
            asks: places.map((place) => `${name}${place}`),
          });
        }
      }
    }
  }
  return found;
}
