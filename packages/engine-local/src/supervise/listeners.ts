import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** A TCP socket that a process listens on, by the number that the kernel gives it. */
export interface Listener {
  readonly inode: string;
  /** Where a connection reaches exactly this socket. */
  readonly address: string;
  readonly port: number;
}

/**
 * What these processes listen on. Sockets are matched by their inode and not by the port alone: on a machine that jobs
 * and the control plane share, the port of one must never lead to another.
 */
export function listenersOf(pids: readonly number[]): Listener[] {
  const owned = new Set(pids.flatMap(socketsOf));
  if (owned.size === 0) return [];
  const found = new Map<string, Listener>();
  // Members of one job may one day have network namespaces of their own, so each sees its own table.
  for (const pid of pids) {
    for (const listener of tableOf(pid)) if (owned.has(listener.inode)) found.set(listener.inode, listener);
    if (found.size === owned.size) break;
  }
  return [...found.values()].sort((a, b) => a.port - b.port);
}

function socketsOf(pid: number): string[] {
  try {
    const folder = `/proc/${pid}/fd`;
    return readdirSync(folder).flatMap((name) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`${folder}/${name}`))?.[1] ?? [];
      } catch {
        return []; // closed meanwhile
      }
    });
  } catch {
    return []; // ended meanwhile, or not ours to read
  }
}

const listening = "0A";

function tableOf(pid: number): Listener[] {
  return ["tcp", "tcp6"].flatMap((table) => {
    let text: string;
    try {
      text = readFileSync(`/proc/${pid}/net/${table}`, "latin1");
    } catch {
      return [];
    }
    return text
      .split("\n")
      .slice(1)
      .flatMap((line) => {
        const [, local = "", , state, , , , , , inode = ""] = line.trim().split(/\s+/);
        if (state !== listening) return [];
        const [address = "", port = ""] = local.split(":");
        return [{ inode, address: reachable(address), port: Number.parseInt(port, 16) }];
      });
  });
}

/** The kernel writes addresses as words in the byte order of the machine. A listener on all addresses is met on loopback. */
function reachable(hex: string): string {
  const bytes = (hex.match(/.{8}/g) ?? []).flatMap((word) => [...Buffer.from(word, "hex")].reverse());
  if (bytes.length === 4) return bytes.every((byte) => byte === 0) ? "127.0.0.1" : bytes.join(".");
  if (bytes.every((byte) => byte === 0)) return "::1";
  const mapped = bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;
  if (mapped) return bytes.slice(12).join(".");
  const words = Array.from({ length: 8 }, (_, i) => ((bytes[2 * i]! << 8) | bytes[2 * i + 1]!).toString(16));
  return words.join(":");
}
