import { describeEngine } from "@tessera/engine/suite";
import { openHarness } from "./lab/harness.ts";

/**
 * The suite of all engines, on a cluster: KUBECONFIG is its administrator's, TESSERA_SUITE says whether its nodes are played
 * (`kwok`) or real (`real`). Not part of `npm test`; `npm run test:kubernetes` runs it.
 */
const { KUBECONFIG: kubeconfig, TESSERA_SUITE: kind, TESSERA_SUITE_IMAGE, TESSERA_SUITE_AGENT } = process.env;
if (kubeconfig === undefined || (kind !== "kwok" && kind !== "real")) {
  throw new Error("set KUBECONFIG to that of a lab, and TESSERA_SUITE to kwok or real");
}
const image = TESSERA_SUITE_IMAGE ?? "localhost/busybox:1";

describeEngine(`kubernetes (${kind})`, () =>
  openHarness({ kubeconfig, kind, image, ...(TESSERA_SUITE_AGENT && { agentImage: TESSERA_SUITE_AGENT }) }),
);
