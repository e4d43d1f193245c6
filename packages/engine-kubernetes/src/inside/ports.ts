import { EntryRefused } from "@tessera/engine";
import type { ApiClient } from "../api/client.ts";
import type { Pod } from "../api/types.ts";
import { memberContainer } from "../names.ts";
import { openExec } from "./exec-stream.ts";

const listening = "0A";
const tableHead = "local_address";
const attemptsMax = 3;

/** The TCP ports that processes of the pod listen on: its network is its own. */
export async function listeningPorts(client: ApiClient, pod: Pod): Promise<readonly number[]> {
  const command = ["cat", "/proc/net/tcp", "/proc/net/tcp6"];
  for (let attempt = 1; ; attempt += 1) {
    const call = await openExec(client, pod, { container: memberContainer, command });
    call.errors.resume();
    let text = "";
    for await (const part of call.output) text += part;
    // A connection that broke before the first line must not look like a member without ports.
    if (text.includes(tableHead)) return portsIn(text);
    if (attempt === attemptsMax) throw new EntryRefused("the ports of the job cannot be read: cat is not in its image");
  }
}

/** From the tables of the kernel, in ascending order. */
export function portsIn(tables: string): number[] {
  const ports = tables
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state]) => state === listening)
    .map(([, local]) => Number.parseInt(local!.slice(local!.lastIndexOf(":") + 1), 16));
  return [...new Set(ports)].sort((a, b) => a - b);
}
