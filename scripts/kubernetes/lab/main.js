import { once } from "node:events";
import { parseArgs } from "node:util";
import { orExplain } from "../../launch/launch.js";
import { testImages } from "../test/images.js";
import { Lab } from "./lab.js";

const usage = `npm run lab:kubernetes: a Kubernetes cluster on this machine, until Ctrl-C

  --kwok N       simulated nodes with 8 H100 each (default 4)
  --real N       real nodes with 8 GPUs each by device plugin, real-1, real-2 …; needs root (default 0)
  --dra          8 devices by the DRA example driver on each real node as well
  --policies     network policies are enforced on real nodes
  --images       real nodes get the images localhost/python:1 and localhost/tessera:1 as well
  --folder DIR   where its state lies while it runs (default: a temporary folder)

Its programs are built once, from the Go module proxy, into KUBE_CACHE; K8S_VERSION chooses another version.
Example: npm run lab:kubernetes -- --kwok 100`;

async function main() {
  const { values } = parseArgs({
    options: {
      kwok: { type: "string", default: "4" },
      real: { type: "string", default: "0" },
      dra: { type: "boolean", default: false },
      policies: { type: "boolean", default: false },
      images: { type: "boolean", default: false },
      folder: { type: "string" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) return console.log(usage);
  const say = (text) => console.error(text);
  const lab = await Lab.open({ kwokNodes: Number(values.kwok), folder: values.folder, say });
  for (let no = 1; no <= Number(values.real); no++) {
    await lab.addNode({ name: `real-${no}`, draGpus: values.dra ? 8 : 0, networkPolicy: values.policies });
  }
  if (values.images) testImages(lab);
  console.log(`export KUBECONFIG=${lab.kubeconfig}`);
  say("ready; Ctrl-C ends it");
  await once(process, "exit");
}

await orExplain(main);
