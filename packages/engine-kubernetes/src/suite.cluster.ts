import { describeEngine } from "@tessera/engine/suite";
import { openHarness } from "./lab/harness.ts";

/**
 * The suite of all engines, on a cluster: KUBECONFIG is its administrator's, LAB_NODES says whether its nodes are played
 * (`kwok`) or real (`real`), where LAB_IMAGES names three images: a shell, Python, and Tessera itself. Not part of `npm test`;
 * `npm run test:kubernetes` runs it.
 */
const { KUBECONFIG: kubeconfig, LAB_NODES: kind, LAB_IMAGES = "" } = process.env;
if (kubeconfig === undefined || (kind !== "kwok" && kind !== "real")) {
  throw new Error("set KUBECONFIG to that of a lab, and LAB_NODES to kwok or real");
}
const [, image = "localhost/busybox:1", agentImage] = LAB_IMAGES.split(",");

describeEngine(`kubernetes (${kind})`, () =>
  openHarness({ kubeconfig, kind, image, ...(agentImage !== undefined && { agentImage }) }),
);
