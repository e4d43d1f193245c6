import { execFile, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { imageConfig, imageUser, tesseraFolder } from "../../../deploy/image/rootfs.js";
import { root } from "../../launch/root.js";
import { controlPlaneBin } from "../lab/cache.js";
import { Results } from "../test/results.js";
import { until } from "../walls/scene.js";
import { chart, openHelm, system } from "./helm.js";

const image = "localhost/tessera:1";
const jobImage = "localhost/busybox:1";
const longCommand = "sleep 600";
const node = { "kubernetes.io/hostname": "real-1" };
/** Nothing that a bare cluster does not have, but for one volume. */
const values = {
  image: { name: image },
  storage: { className: "by-hand", size: "1Gi" },
  engine: { settings: { defaultImage: jobImage } },
  resources: { requests: { cpu: "10m", memory: "128Mi" } },
  nodeSelector: node,
};

/** Installs the chart on a real node with the image of this clone, runs a job, upgrades, uninstalls. */
export async function testInstall(lab, { say }) {
  const results = new Results(say);
  const { helm, kubectl } = await openHelm(lab, say);
  const before = everything(kubectl);
  const folder = mkdtempSync(join(tmpdir(), "tess-chart-"));
  addImage(lab, say);
  await addVolume(lab);
  const set = (change) => {
    const path = join(folder, "values.json");
    writeFileSync(path, JSON.stringify({ ...values, ...change }));
    return ["--namespace", system, "--values", path, "--wait", "--timeout", "180s"];
  };
  let tess;
  await results.check("helm install: ready", async () => {
    helm(["install", "tessera", chart, "--create-namespace", ...set({})]);
    tess = await reach(lab, kubectl, folder);
    return true;
  });
  await results.check("a job through kubectl port-forward runs on the same cluster", async () => {
    await until("GPUs", async () => /real/.test(await tess("get", "nodes").catch(() => "")), 60_000);
    await tess(
      "run",
      "--name",
      "hello",
      "--gpus",
      "A100:1",
      "--image",
      jobImage,
      "--",
      "echo hello from $HOSTNAME; sleep 2",
    );
    await tess("wait", "hello");
    const text = await tess("logs", "hello");
    return /hello from tess-/.test(text) || text;
  });
  await results.check("helm upgrade restarts Tessera and no job", async () => {
    await tess("run", "--detach", "--name", "long", "--gpus", "A100:1", "--image", jobImage, "--", longCommand);
    const running = await until(
      "the job to run",
      async () => {
        const pod = await podOfLong(lab);
        return pod?.status.phase === "Running" && pod;
      },
      60_000,
    );
    helm(["upgrade", "tessera", chart, ...set({ podAnnotations: { "example.com/again": "1" } })]);
    const still = await podOfLong(lab);
    tess = await reach(lab, kubectl, folder);
    return running.metadata.uid === still?.metadata.uid || "its pod is another";
  });
  await results.check("helm uninstall leaves nothing behind", async () => {
    await tess("cancel", "long");
    await until("its pod to be gone", async () => (await podOfLong(lab)) === undefined);
    await tess.close();
    helm(["uninstall", "tessera", "--namespace", system, "--wait", "--timeout", "180s"]);
    await lab.api.delete(`/api/v1/namespaces/${system}`);
    await lab.api.delete(`${volumes}/tessera`);
    const left = async () => everything(kubectl).filter((name) => !before.includes(name));
    await until("everything to be gone", async () => (await left()).length === 0, 60_000).catch(() => {});
    const rest = await left();
    return rest.length === 0 || rest.join(", ");
  });
  rmSync(folder, { recursive: true, force: true });
  return results.summary;
}

/** Pods of other jobs may be there too, and those that have just ended. */
async function podOfLong(lab) {
  const { items } = await lab.api.get("/api/v1/pods?labelSelector=tessera.dev/lease");
  return items.find(({ spec }) => JSON.stringify(spec).includes(longCommand));
}

const volumes = "/api/v1/persistentvolumes";

/** A folder of the node as storage: the data folder must outlive a pod of Tessera. */
async function addVolume(lab) {
  const path = "/var/lib/tessera-data";
  lab.realNodes[0].run("sh", "-c", `mkdir -p ${path} && chown ${imageUser}:${imageUser} ${path}`);
  const spec = {
    capacity: { storage: "1Gi" },
    accessModes: ["ReadWriteOnce"],
    storageClassName: "by-hand",
    hostPath: { path },
  };
  await lab.api.post(volumes, { metadata: { name: "tessera" }, spec });
}

function addImage(lab, say) {
  say("making the image of Tessera");
  const folder = tesseraFolder();
  try {
    lab.addImage(image, folder, imageConfig);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Names of everything in the cluster that something can leave behind. */
function everything(kubectl) {
  const kinds = kubectl(["api-resources", "--verbs=list", "-o", "name"]).trim().split("\n");
  const passing =
    /^(events|leases\.coordination|endpointslices|endpoints|nodes|pods\.metrics|ipaddresses|componentstatuses|controllerrevisions)/;
  const asked = kinds.filter((kind) => !passing.test(kind)).join(",");
  return kubectl(["get", asked, "-A", "-o", "name", "--ignore-not-found"]).trim().split("\n");
}

/** The command line through a forwarded port, as the owner. */
async function reach(lab, kubectl, folder) {
  const words = ["-n", system, "port-forward", "deployment/tessera", ":7437"];
  const env = { ...process.env, KUBECONFIG: lab.kubeconfig };
  const forward = spawn(join(controlPlaneBin, "kubectl"), words, { env, stdio: ["ignore", "pipe", "inherit"] });
  const port = await new Promise((resolve, reject) => {
    createInterface({ input: forward.stdout }).on("line", (line) => {
      const found = /127\.0\.0\.1:(\d+) ->/.exec(line);
      if (found !== null) resolve(found[1]);
    });
    forward.once("exit", () => reject(new Error("kubectl port-forward ended")));
  });
  const work = join(folder, "work");
  mkdirSync(work, { recursive: true });
  const token = join(folder, "owner.token");
  const text = kubectl(["-n", system, "exec", "deployment/tessera", "--", "cat", "/data/owner.token"]);
  writeFileSync(token, text, { mode: 0o600 });
  const cli = [join(root, "packages/cli/dist/main.js"), "-y"];
  const tess = async (...rest) => {
    const options = { cwd: work, env: { PATH: process.env.PATH, HOME: folder } };
    return (await promisify(execFile)(process.execPath, [...cli, ...rest], options)).stdout;
  };
  await tess("--token-file", token, "login", `http://127.0.0.1:${port}`);
  tess.close = () => forward.kill();
  return tess;
}
