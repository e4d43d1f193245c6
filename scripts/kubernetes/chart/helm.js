import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { root } from "../../launch/root.js";
import { build } from "../lab/build.js";
import { controlPlaneBin } from "../lab/cache.js";

export const chart = join(root, "deploy/helm/tessera");
export const system = "tessera-system";
/** The default, and the value files beside the chart. */
export const valueFiles = ["postgres", "ingress-tls", "restricted"].map((name) => ({
  name,
  path: join(root, "deploy/helm/values", `${name}.yaml`),
}));

export async function openHelm(lab, say) {
  await build(["helm"], say);
  const env = { ...process.env, KUBECONFIG: lab.kubeconfig };
  const options = { encoding: "utf8", env, maxBuffer: 2 ** 26, stdio: ["pipe", "pipe", "pipe"] };
  const run = (program) => (words, input) => {
    try {
      return execFileSync(join(controlPlaneBin, program), words, { ...options, input });
    } catch (error) {
      throw new Error(`${program} ${words[0]}: ${error.stderr.trim().slice(0, 2_000)}`);
    }
  };
  return { helm: run("helm"), kubectl: run("kubectl") };
}
