import { once } from "node:events";
import { parseArgs } from "node:util";
import { orExplain } from "../../launch/launch.js";
import { Lab } from "./lab.js";

const usage = `npm run lab:kubernetes: a Kubernetes cluster on this machine, until Ctrl-C

  --kwok N       simulated nodes with 8 H100 each (default 4)
  --folder DIR   where its state lies while it runs (default: a temporary folder)

Its programs are built once, from the Go module proxy, into KUBE_CACHE; K8S_VERSION chooses another version.
Example: npm run lab:kubernetes -- --kwok 100`;

async function main() {
  const { values } = parseArgs({
    options: {
      kwok: { type: "string", default: "4" },
      folder: { type: "string" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) return console.log(usage);
  const say = (text) => console.error(text);
  const lab = await Lab.open({ kwokNodes: Number(values.kwok), folder: values.folder, say });
  console.log(`export KUBECONFIG=${lab.kubeconfig}`);
  say("ready; Ctrl-C ends it");
  await once(process, "exit");
}

await orExplain(main);
