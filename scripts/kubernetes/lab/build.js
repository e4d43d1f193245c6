import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Failure } from "../../launch/failure.js";
import { cacheFolder, controlPlaneBin, hasAll, nodeBin } from "./cache.js";
import { checkPackages } from "./packages.js";
import { libraryVersion, versions } from "./versions.js";

const ownSources = fileURLToPath(new URL("./go/", import.meta.url));
const containerd = "github.com/containerd/containerd/v2";
const plugins = "github.com/containernetworking/plugins";
const netlink = "github.com/vishvananda/netlink";
const kubeRouter = "github.com/cloudnativelabs/kube-router/v2";
const draDriver = "sigs.k8s.io/dra-example-driver";

/** What is built from where. `gives` are the programs that must lie in the folder `into` afterwards. */
function recipes() {
  const kubernetes = { module: "k8s.io/kubernetes", version: versions.kubernetes, staged: true };
  return {
    controlPlane: [
      {
        ...kubernetes,
        name: `gosrc-${versions.kubernetes}`,
        also: `require sigs.k8s.io/kwok v${versions.kwok}`,
        into: controlPlaneBin,
        gives: ["kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl", "etcd", "kwok"],
        packages: [
          ...["kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl"].map(
            (program) => `k8s.io/kubernetes/cmd/${program}`,
          ),
          "go.etcd.io/etcd/server/v3",
          "sigs.k8s.io/kwok/cmd/kwok",
        ],
        // The package that holds etcd is named after its folder.
        rename: { server: "etcd" },
      },
    ],
    helm: [
      {
        name: `src-helm-${versions.helm}`,
        module: "helm.sh/helm/v3",
        version: versions.helm,
        into: controlPlaneBin,
        gives: ["helm"],
        packages: ["helm.sh/helm/v3/cmd/helm"],
      },
    ],
    node: [
      {
        ...kubernetes,
        name: `src-kubelet-${versions.kubernetes}`,
        into: nodeBin,
        gives: ["kubelet", "pause", "helper"],
        own: ["pause", "helper"],
        packages: ["./pause", "./helper", "k8s.io/kubernetes/cmd/kubelet"],
      },
      {
        name: `src-containerd-${versions.containerd}`,
        module: containerd,
        version: versions.containerd,
        into: nodeBin,
        stamp: `-X ${containerd}/version.Version=v${versions.containerd}`,
        gives: ["containerd", "ctr", "containerd-shim-runc-v2"],
        packages: ["containerd", "ctr", "containerd-shim-runc-v2"].map((each) => `${containerd}/cmd/${each}`),
      },
      {
        name: `src-cni-${versions.networkPlugins}`,
        module: plugins,
        version: versions.networkPlugins,
        into: nodeBin,
        gives: ["ptp", "loopback", "host-local", "portmap"],
        packages: ["main/ptp", "main/loopback", "ipam/host-local", "meta/portmap"].map(
          (each) => `${plugins}/plugins/${each}`,
        ),
      },
      {
        name: `src-dra-${versions.draDriver}`,
        module: draDriver,
        version: versions.draDriver,
        into: nodeBin,
        gives: ["dra-example-kubeletplugin"],
        packages: [`${draDriver}/cmd/dra-example-kubeletplugin`],
      },
      {
        name: `src-kube-router-${versions.kubeRouter}`,
        module: kubeRouter,
        version: versions.kubeRouter,
        // The version that it asks for does not compile with the other modules of today.
        also: `replace ${netlink} => ${netlink} v1.3.1`,
        into: nodeBin,
        gives: ["kube-router"],
        packages: [`${kubeRouter}/cmd/kube-router`],
      },
    ],
  };
}

/** Builds what is missing of `parts` (`controlPlane`, `helm`, `node`) and tells `say` what takes so long. */
export async function build(parts, say) {
  const all = recipes();
  const missing = parts.flatMap((part) => all[part]).filter(({ into, gives }) => !hasAll(into, gives));
  checkPackages({ go: missing.length > 0 });
  for (const [no, recipe] of missing.entries()) {
    const beganAt = Date.now();
    say(`building ${recipe.gives.join(", ")} (${no + 1} of ${missing.length}; minutes, once)`);
    await make(recipe);
    say(`built in ${Math.round((Date.now() - beganAt) / 1000)} s`);
  }
}

async function make({ name, module, version, staged, also, into, stamp, packages, own = [], rename = {} }) {
  const folder = cacheFolder(name);
  for (const each of own) cpSync(join(ownSources, each), join(folder, each), { recursive: true });
  const manifest = join(folder, "go.mod");
  if (!existsSync(manifest)) {
    const parts = ["module build", "go 1.26.0", `require ${module} v${version}`, also, staged && stagedModules()];
    writeFileSync(manifest, `${parts.filter(Boolean).join("\n\n")}\n`);
  }
  const flags = ["-trimpath", "-ldflags", ["-s -w", staged && kubernetesStamp(), stamp].filter(Boolean).join(" ")];
  await go(["build", ...flags, "-o", `${into}/`, ...packages], folder);
  for (const [from, to] of Object.entries(rename)) renameSync(join(into, from), join(into, to));
}

/** Kubernetes replaces its own libraries by folders that its module lacks: name their published versions instead. */
function stagedModules() {
  const folder = cacheFolder("gosrc-empty");
  if (!existsSync(join(folder, "go.mod"))) writeFileSync(join(folder, "go.mod"), "module empty\n\ngo 1.26.0\n");
  const ask = (...words) =>
    JSON.parse(execFileSync("go", words, { cwd: folder, env: goEnvironment(), encoding: "utf8", maxBuffer: 2 ** 26 }));
  const { GoMod } = ask("mod", "download", "-json", `k8s.io/kubernetes@v${versions.kubernetes}`);
  return ask("mod", "edit", "-json", GoMod)
    .Replace.filter(({ Old, New }) => New.Path.startsWith("./staging/") && !/sample-(cli|controller)/.test(Old.Path))
    .map(({ Old }) => `replace ${Old.Path} => ${Old.Path} v${libraryVersion}`)
    .join("\n");
}

function kubernetesStamp() {
  const [major, minor] = versions.kubernetes.split(".");
  const values = { gitVersion: `v${versions.kubernetes}`, gitMajor: major, gitMinor: minor, gitTreeState: "clean" };
  const flags = Object.entries(values).map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`);
  return [...flags, `-X k8s.io/client-go/pkg/version.gitVersion=v${versions.kubernetes}`].join(" ");
}

function goEnvironment() {
  return {
    ...process.env,
    GOMODCACHE: process.env.GOMODCACHE ?? cacheFolder("gomod"),
    GOCACHE: process.env.GOCACHE ?? cacheFolder("gocache"),
    GOFLAGS: "-buildvcs=false -mod=mod",
    CGO_ENABLED: "0",
  };
}

async function go(words, cwd) {
  const child = spawn("go", words, { cwd, env: goEnvironment(), stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.on("data", (part) => {
    said = `${said}${part}`.slice(-4_000);
  });
  const [code] = await once(child, "exit");
  if (code === 0) return;
  throw new Failure(`go ${words[0]} in ${cwd} ended with ${code}`, {
    advice: "Put right what it says and start again; what is built already is kept.",
    output: said,
  });
}
