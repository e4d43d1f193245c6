import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { Unavailable } from "./peer.ts";

const run = promisify(execFile);
const programs = {
  "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver",
  "kube-scheduler": "k8s.io/kubernetes/cmd/kube-scheduler",
  etcd: "go.etcd.io/etcd/server/v3",
};

/** The programs of a Kubernetes control plane, built once from the Go module proxy and kept. Returns their folder. */
export async function buildKubernetes(cache: string, version: string, say: (text: string) => void): Promise<string> {
  const bin = join(cache, `bin-${version}`);
  if (Object.keys(programs).every((name) => existsSync(join(bin, name)))) return bin;
  const source = join(cache, `source-${version}`);
  for (const folder of [bin, source]) mkdirSync(folder, { recursive: true });
  const env = { ...process.env, GOFLAGS: "-buildvcs=false -mod=mod", CGO_ENABLED: "0" };
  const go = async (...args: string[]) => (await run("go", args, { cwd: source, env, maxBuffer: 2 ** 28 })).stdout;
  try {
    const { GoMod } = JSON.parse(await go("mod", "download", "-json", `k8s.io/kubernetes@v${version}`)) as {
      GoMod: string;
    };
    writeFileSync(join(source, "go.mod"), moduleOf(readFileSync(GoMod, "utf8"), version));
    say(`building Kubernetes ${version} from the Go module proxy, once; this takes ten minutes and more`);
    const stamp = `-s -w -X k8s.io/component-base/version.gitVersion=v${version}`;
    await go("build", "-trimpath", "-ldflags", stamp, "-o", `${bin}/`, ...Object.values(programs));
  } catch (cause) {
    const { code, stderr } = cause as { code?: unknown; stderr?: string };
    if (code === "ENOENT") throw new Unavailable("it is built from source, and there is no go on the PATH");
    const said = stderr?.trim().split("\n").at(-1) || (cause as Error).message;
    throw new Unavailable(`it could not be built from the Go module proxy: ${said}`, { cause });
  }
  renameSync(join(bin, "server"), join(bin, "etcd"));
  return bin;
}

/** Upstream refers to its parts by folders that the module does not carry; the same parts are published as modules. */
function moduleOf(upstream: string, version: string): string {
  const parts = [...upstream.matchAll(/^\t(k8s\.io\/\S+) => \.\/staging\//gm)]
    .map(([, name]) => name!)
    .filter((name) => !/sample-(cli|controller)/.test(name));
  const replaced = parts.map((name) => `\t${name} => ${name} v0${version.slice(1)}`);
  return `module peers\n\ngo 1.26.0\n\nrequire k8s.io/kubernetes v${version}\n\nreplace (\n${replaced.join("\n")}\n)\n`;
}
