import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Api } from "../lab/api.js";
import { controlPlaneBin } from "../lab/cache.js";

export const manifests = fileURLToPath(new URL("../../../deploy/kubernetes", import.meta.url));
const system = "tessera-system";
export const identity = `system:serviceaccount:${system}:tessera`;

export function kubectl(lab, words, { user = lab.kubeconfig, input } = {}) {
  const env = { ...process.env, KUBECONFIG: user };
  return execFileSync(join(controlPlaneBin, "kubectl"), words, { encoding: "utf8", env, input, stdio: "pipe" });
}

/** Gives the cluster what its administrator gives it: Tessera's namespace, its rights and the policies. */
export async function installTessera(lab) {
  await lab.api.post("/api/v1/namespaces", { metadata: { name: system } }).catch(unlessThere);
  kubectl(lab, ["apply", "-f", manifests]);
}

/** A kubeconfig with a token, as a path; the rights are those of the account that it belongs to. */
export function tokenConfig(lab, account, token) {
  const path = join(lab.folder, "users", `${account}-token.kubeconfig`);
  const { clusters } = JSON.parse(readFileSync(lab.kubeconfig, "utf8"));
  const text = JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "lab",
    contexts: [{ name: "lab", context: { cluster: "lab", user: account } }],
    clusters,
    users: [{ name: account, user: { token } }],
  });
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

/** A client of the API server that is this user, by a certificate. */
export function userApi(lab, user, groups = ["system:authenticated"]) {
  const name = user.replace(/[^a-z]+/g, "-");
  const { certificates, apiPort: port } = lab.plane;
  certificates.client(name, { user, groups });
  const [ca, cert, key] = ["ca.crt", `${name}.crt`, `${name}.key`].map((file) => certificates.path(file));
  return new Api({ port, ca, cert, key });
}

/** The kubeconfig of Tessera itself. */
export async function tesseraConfig(lab) {
  return tokenConfig(lab, "tessera", await tokenOf(lab, system, "tessera"));
}

async function tokenOf(lab, namespace, account) {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`;
  const { status } = await lab.api.post(path, { spec: { expirationSeconds: 24 * 3600 } });
  return status.token;
}

export function unlessThere(error) {
  if (error.status !== 409) throw error;
}
