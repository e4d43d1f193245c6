import { join } from "node:path";
import { findProcess, type ProcessEntry, sendSignal } from "../../supervise/processes.ts";
import { tap } from "./block.ts";
import { type Hub, nodePath, userNamespace } from "./hub.ts";
import { runScript } from "./programs.ts";

/** A process that carries connections between a namespace and the machine, in the machine's own network. */
export type Carrier = "pasta" | "slirp4netns";

export type ProcessName = Pick<ProcessEntry, "pid" | "startedAt">;

/** NCCL leaves out interfaces whose names begin like this: members must not look for each other behind it. */
const tapName = "lo-out";

/** Nothing is passed in, the loopback of the machine is not passed out, and the job's ports stay its own. */
const pastaWords = [
  ...["--quiet", "--config-net", "--ipv4-only", "--no-map-gw", `--ns-ifname ${tapName}`],
  ...[`--address ${tap.address}`, `--netmask ${tap.mask}`, `--gateway ${tap.gateway}`],
  ...["-t none", "-u none", "-T none", "-U none"],
].join(" ");
const slirpWords = `--configure --mtu=65520 --disable-host-loopback --disable-dns --cidr=${tap.range} --netns-type=path --ready-fd=3`;

/** Starts the carrier of one node and waits until it carries. It ends when it is told, see `endProcess`. */
export async function startCarrier(carrier: Carrier, hub: Hub, index: number, folder: string): Promise<ProcessName> {
  const [path, owner, file] = [nodePath(hub, index), userNamespace(hub), join(folder, `carrier-${index}`)];
  const script =
    carrier === "pasta"
      ? `pasta ${pastaWords} ${owner === undefined ? "--runas 0:0" : `--userns ${owner}`} --netns ${path} -P '${file}' >/dev/null
cat '${file}'`
      : `setsid slirp4netns ${slirpWords} ${owner === undefined ? "" : `--userns-path=${owner}`} ${path} ${tapName} 3>'${file}' >/dev/null 2>'${file}.said' </dev/null &
p=$!
while [ ! -s '${file}' ]; do kill -0 $p 2>/dev/null || { cat '${file}.said' >&2; exit 1; }; sleep 0.05; done
echo $p`;
  const pid = Number((await runScript(script)).trim());
  const found = findProcess(pid);
  if (found === undefined) throw new Error(`${carrier} ended at once`);
  return { pid, startedAt: found.startedAt };
}

/** Ends a process that was started as the first of its group, and the group with it. */
export function endProcess({ pid, startedAt }: ProcessName): void {
  if (findProcess(pid)?.startedAt !== startedAt) return;
  sendSignal(-pid, "SIGKILL");
  sendSignal(pid, "SIGKILL");
}
