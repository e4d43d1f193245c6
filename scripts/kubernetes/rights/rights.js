import { setTimeout as sleep } from "node:timers/promises";
import { Results } from "../test/results.js";
import { identity, installTessera, kubectl, manifests, tesseraConfig } from "../walls/identity.js";
import { asked, given, record } from "./audit.js";
import { rarely, runProbe, serve } from "./scenario.js";

/** Verbs that are taken away for real, each with what must fail then. */
const taken = [
  { name: "create pods", says: /cannot create resource "pods"/ },
  {
    name: "bind clusterroles.rbac.authorization.k8s.io",
    says: /is attempting to grant RBAC permissions not currently held/,
  },
  { name: "create namespaces", says: /cannot create resource "namespaces"/ },
  { name: "create pods/exec", says: /cannot create resource "pods\/exec"/ },
  { name: "patch nodes", says: /cannot patch resource "nodes"/ },
];

/**
 * Proves that the manifest is the least that works: all that the engine asks for is allowed, and all that is allowed was asked
 * for, as the API server's own record says.
 */
export async function testRights(lab, { say }) {
  const results = new Results(say);
  await installTessera(lab);
  const from = record(lab).length; // other parts ask with its token for what it must not have
  await results.check("a server with these rights runs a gang with a secret, an entry, a log and a drain", async () => {
    await serve(lab);
    return true;
  });
  await results.check("and keeps walls, copies secrets, sweeps checkpoints and confirms what is gone", async () => {
    await rarely(lab);
    return true;
  });
  await sleep(2_000); // the record is written behind the answers
  const all = await given(lab);
  const { allowed, forbidden } = asked(lab, from);
  await results.check("nothing that it asked for was refused for want of rights", () => {
    // Until a new binding is known, what it allows is refused; it is asked for again then.
    const never = [...forbidden].filter((name) => !allowed.has(name));
    return never.length === 0 || never.join(", ");
  });
  for (const { name, asks, verb, role } of all) {
    // Asked for by the API server itself: when a binding is made, and when an entry becomes a WebSocket; see `taken`.
    const isInner = verb === "bind" || name === "create pods/exec";
    await results.check(
      `needed: ${name} (${role.split("/").at(-1)})`,
      () => isInner || asks.some((each) => allowed.has(each)) || "never asked for",
    );
  }
  const probe = await runProbe(lab);
  await lab.api.post("/api/v1/namespaces", { metadata: { name: "tess-bare" } });
  for (const { name, says } of taken) {
    await results.check(`taken away: ${name}`, () =>
      without(
        lab,
        all.find((each) => each.name === name),
        says,
        probe,
      ),
    );
  }
  kubectl(lab, ["delete", "-f", manifests, "--ignore-not-found"]);
  return results.summary;
}

/** The API server refuses the call itself once one verb is missing in one role. */
async function without(lab, { role, resource, verb, group }, says, probe) {
  const before = await lab.api.get(role);
  const rules = before.rules.flatMap((rule) => {
    if (!rule.apiGroups.includes(group) || !rule.resources.includes(resource)) return [rule];
    const rest = { ...rule, resources: rule.resources.filter((each) => each !== resource) };
    const less = { ...rule, resources: [resource], verbs: rule.verbs.filter((each) => each !== verb) };
    return [...(rest.resources.length > 0 ? [rest] : []), ...(less.verbs.length > 0 ? [less] : [])];
  });
  await lab.api.merge(role, { rules });
  try {
    await sleep(1_000);
    const user = await tesseraConfig(lab);
    const words = {
      "pods/exec": probe,
      pods: ["-n", "tess-ten-untrusted", "run", "x", "--image=x"],
      clusterroles: ["-n", "tess-bare", "create", "rolebinding", "x", "--clusterrole=tessera-tenant", "--user=x"],
      namespaces: ["create", "namespace", "tess-x"],
      nodes: ["annotate", "node", (await lab.api.get("/api/v1/nodes")).items[0].metadata.name, `proof=${Date.now()}`],
    };
    kubectl(lab, words[resource], { user });
    return `${identity} may still`;
  } catch (error) {
    return says.test(String(error.stderr)) || String(error.stderr);
  } finally {
    await lab.api.merge(role, { rules: before.rules });
  }
}
