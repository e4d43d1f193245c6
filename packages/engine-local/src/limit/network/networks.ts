import { createHash, randomBytes, randomInt } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { hostname } from "node:os";
import { join } from "node:path";
import type { LeaseId } from "@tessera/core";
import type { LeaseOrder, NetworkOrder } from "@tessera/engine";
import { codeOf, replaceWhole } from "../../lease/durable.ts";
import { blockOf, nodesMax } from "./block.ts";
import { endProcess, type ProcessName, startCarrier } from "./carrier.ts";
import { anyBlock, claimBlock, claimedHubs, removeHub } from "./claims.ts";
import { declareScript } from "./declared.ts";
import { layRules } from "./firewall.ts";
import { holdNetwork } from "./holder.ts";
import { type Hub, hubPath, hubScript, isRouted, nodePath, nodeScript, userNamespace } from "./hub.ts";
import type { NetworkMeans } from "./means.ts";
import { runScript } from "./programs.ts";
import { closedRanges } from "./reach.ts";
import { hostsFileFor, resolverFileFor, resolvesHere } from "./resolver.ts";

/** What a supervisor knows of the network of its member. */
export interface NetworkSheet {
  /** The record of the network, which the last member takes away. */
  readonly folder: string;
  /** Where rank 0 is met, and all members by rank. */
  readonly masterAddress: string;
  readonly masterPort: number;
  readonly addresses: readonly string[];
  /** The member's own namespace; absent = it has none. */
  readonly wall?: Wall;
  /** Shown to the member as the file that names its resolver. */
  readonly resolverFile?: string;
  /** Shown to it as the file of names that need no resolver. */
  readonly hostsFile?: string;
}

export interface Wall {
  readonly namespace: string;
  readonly hubNamespace: string;
  /** Without root: the namespaces in which the others were made. */
  readonly userNamespace?: string;
  readonly mountNamespace?: string;
  readonly wayOut?: NonNullable<NetworkMeans["wayOut"]>;
  /** What it may reach. */
  readonly order: NetworkOrder;
  /** Where names are resolved for the member, on its own loopback; absent = the resolvers of the machine can be reached. */
  readonly relay?: string;
}

/** What is written down of the network of one attempt of a job. */
interface NetworkRecord {
  readonly bootId: string;
  readonly masterPort: number;
  /** Absent: its members use the network of the machine. */
  readonly hub?: Hub;
  /** Nodes that have a namespace, in the order of their addresses. */
  readonly nodes: readonly string[];
  /** Processes that carry connections of its nodes out. */
  readonly carriers?: readonly ProcessName[];
}

type Meeting = Pick<LeaseOrder, "lease" | "rank" | "node" | "gangNodes" | "masterAddress" | "network">;

const recordFile = "network.json";
/** Below the ports that the kernel gives out by itself, on machines that keep its usual range. */
const masterPorts = { first: 20_000, count: 12_000 };

/** How members of jobs are joined with their gang and kept apart from all else, on this machine. */
export class Networks {
  readonly mark: string;
  readonly #folder: string;
  readonly #stateRoot: string;
  readonly #bootId: string;
  readonly #means: NetworkMeans | undefined;
  readonly #turns = new Map<string, Promise<unknown>>();
  /** Ports that are kept until rank 0 may start, by network. */
  readonly #ports = new Map<string, Server>();
  readonly #allNodes: () => Promise<readonly string[]>;
  #rules: Promise<void> | undefined;

  constructor(
    state: { readonly root: string; readonly networks: string },
    bootId: string,
    means: NetworkMeans | undefined,
    allNodes: () => Promise<readonly string[]> = async () => [],
  ) {
    this.#allNodes = allNodes;
    this.#folder = state.networks;
    this.#stateRoot = state.root;
    this.#bootId = bootId;
    this.#means = means;
    this.mark = networkMark(state.root);
  }

  /** Whether a member with this egress gets a namespace here. */
  walls({ egress }: NetworkOrder): boolean {
    return this.#means !== undefined && (egress === "none" || this.#means.wayOut !== undefined);
  }

  /** Why an order cannot be carried out here; undefined = it can. */
  refusalOf({ network = everywhere, gangNodes }: Pick<LeaseOrder, "network" | "gangNodes">): string | undefined {
    if (new Set(gangNodes).size > nodesMax)
      return `a gang on more than ${nodesMax} nodes of one machine cannot be joined`;
    const isFiltered = this.#means?.wayOut === "nft" || this.#means?.wayOut === "iptables";
    if (network.egress === "declared" && !isFiltered)
      return "egress declared needs a firewall that this server may use: run it as root and install nft (nftables) or iptables";
    if (network.egress === "none" && !this.walls(network))
      return "egress none needs network namespaces, which this server cannot make: run it as root, with ip (iproute2)";
    return undefined;
  }

  /** Makes the network of the member's job where it is not there yet, and joins the member. */
  join(order: Meeting): Promise<NetworkSheet> {
    const key = keyOf(order.lease);
    return this.#inTurn(key, async () => {
      const folder = join(this.#folder, key);
      for (;;) {
        await mkdir(join(folder, "members"), { recursive: true, mode: 0o700 });
        try {
          await writeFile(join(folder, "members", order.lease), "");
          break;
        } catch (error) {
          if (codeOf(error) !== "ENOENT") throw error; // the last member left at this moment
        }
      }
      try {
        const sheet = sheetOf(folder, await this.#recordFor(key, folder, order), order);
        const { wall, addresses } = sheet;
        if (wall === undefined || wall.userNamespace !== undefined) return sheet; // mounted by their holder
        const own = { name: hostname(), address: addresses[order.rank]! };
        return {
          ...sheet,
          hostsFile: await writeHosts(folder, order.rank, namesOf(order.gangNodes, addresses), own),
          ...(wall.relay !== undefined && { resolverFile: await writeResolver(folder, order.rank, wall.relay) }),
        };
      } catch (error) {
        await leaveNetwork(folder, order.lease);
        throw error;
      }
    });
  }

  /** The member may go: from here on rank 0 can take the port where its gang meets. */
  openPort(lease: LeaseId): Promise<void> {
    return this.#closePort(keyOf(lease));
  }

  /** The member has ended, or never began. */
  async leave(lease: LeaseId): Promise<void> {
    const key = keyOf(lease);
    await this.#inTurn(key, () => leaveNetwork(join(this.#folder, key), lease));
    if (!existsSync(join(this.#folder, key))) await this.#closePort(key);
  }

  /** Takes away what earlier servers left: networks of which no member lives. */
  async sweep(isLive: (lease: string) => boolean): Promise<void> {
    const kept = new Set<string>();
    for (const name of await readdir(this.#folder)) {
      const folder = join(this.#folder, name);
      const record = await readRecord(folder);
      const members = await readdir(join(folder, "members")).catch(() => []);
      if (record?.bootId === this.#bootId && members.some(isLive)) kept.add(record.hub?.id ?? "");
      else {
        if (record?.bootId === this.#bootId) endProcesses(record);
        await rm(folder, { recursive: true, force: true });
      }
    }
    if (this.#means?.owner !== "root") return; // blocks are root's, and none of them is ours
    for (const hub of await claimedHubs(this.mark)) if (!kept.has(hub.id)) await removeHub(hub);
  }

  async close(): Promise<void> {
    for (const key of this.#ports.keys()) await this.#closePort(key);
  }

  async #recordFor(key: string, folder: string, order: Meeting): Promise<NetworkRecord> {
    const known = await readRecord(folder);
    const isHalfMade = known?.hub !== undefined && known.nodes.length === 0; // by an engine that was killed
    if (isHalfMade) await removeNetwork(known);
    const record = known?.bootId === this.#bootId && !isHalfMade ? known : await this.#make(key, folder, order);
    if (record.hub === undefined) return record;
    const missing = [...new Set(order.gangNodes)].filter((node) => !record.nodes.includes(node));
    return missing.length === 0 ? record : this.#addNodes(folder, record, record.hub, missing, order);
  }

  async #make(key: string, folder: string, order: Meeting): Promise<NetworkRecord> {
    const network = order.network ?? everywhere;
    if (!this.walls(network)) {
      const record = { bootId: this.#bootId, masterPort: await this.#keepPort(key), nodes: [] };
      await writeRecord(folder, record);
      return record;
    }
    const { wayOut, owner } = this.#means!;
    const leads = network.egress !== "none" && wayOut !== undefined;
    if (leads && (wayOut === "nft" || wayOut === "iptables")) await this.#layRules(wayOut);
    const id = randomBytes(4).toString("hex");
    const masterPort = masterPorts.first + randomInt(masterPorts.count);
    const plain = { mark: this.mark, id, ...(leads && { wayOut }) };
    if (owner === "user") return this.#hold({ ...plain, block: await anyBlock() }, folder, order, masterPort);
    const hub = await claimBlock(plain, this.#stateRoot);
    const record: NetworkRecord = { bootId: this.#bootId, masterPort, hub, nodes: [] };
    // Before it is made: whatever becomes of us, the next engine finds it.
    await writeRecord(folder, record);
    await runScript([hubScript(hub, closedRanges()), ...declareScript(hub, network)].join("\n"));
    return record;
  }

  async #addNodes(
    folder: string,
    record: NetworkRecord,
    hub: Hub,
    missing: readonly string[],
    order: Meeting,
  ): Promise<NetworkRecord> {
    const nodes = [...record.nodes, ...missing];
    const closed = closedRanges();
    const scripts = missing.map((node) => {
      const isMaster = node === order.gangNodes[0];
      return nodeScript(hub, nodes.indexOf(node), closed, isMaster ? record.masterPort : undefined);
    });
    if (hub.holder !== undefined) throw new Error("no node can be added without root");
    await runScript(scripts.join("\n"));
    return this.#carry(folder, { ...record, nodes }, hub, missing);
  }

  /** Without root the network is made whole at once, for all nodes that the job may ever have here. */
  async #hold(plain: Hub, folder: string, order: Meeting, masterPort: number): Promise<NetworkRecord> {
    const nodes = [...new Set([...order.gangNodes, ...(await this.#allNodes())])].slice(0, nodesMax);
    const holder = await holdNetwork({
      hub: plain,
      folder,
      nodes: nodes.length,
      closed: closedRanges(),
      kept: { node: 0, port: masterPort },
      isOpen: plain.wayOut !== undefined,
      hostsFile: await writeHosts(
        folder,
        0,
        namesOf(
          nodes,
          nodes.map((_, i) => blockOf(plain.block).node(i)),
        ),
      ),
      ...(plain.wayOut !== undefined && { resolverFile: await writeResolver(folder, 0, heldRelay) }),
    });
    const hub = { ...plain, holder };
    return this.#carry(folder, { bootId: this.#bootId, masterPort, hub, nodes }, hub, nodes);
  }

  /** Starts what carries connections of these nodes out, and writes down that they are there. */
  async #carry(folder: string, record: NetworkRecord, hub: Hub, nodes: readonly string[]): Promise<NetworkRecord> {
    const { wayOut } = hub;
    let written = record;
    await writeRecord(folder, written);
    if (wayOut !== "pasta" && wayOut !== "slirp4netns") return written;
    for (const node of nodes) {
      const carrier = await startCarrier(wayOut, hub, record.nodes.indexOf(node), folder);
      written = { ...written, carriers: [...(written.carriers ?? []), carrier] };
      await writeRecord(folder, written);
    }
    return written;
  }

  #layRules(wayOut: "nft" | "iptables"): Promise<void> {
    this.#rules ??= layRules(wayOut).catch((error) => {
      this.#rules = undefined;
      throw error;
    });
    return this.#rules;
  }

  /** Without namespaces all jobs share the ports of the machine: one that is free stays ours until it is needed. */
  async #keepPort(key: string): Promise<number> {
    for (let tries = 0; tries < 100; tries += 1) {
      const server = createServer((socket) => socket.destroy()).unref();
      const port = masterPorts.first + randomInt(masterPorts.count);
      const bound = await new Promise<boolean>((resolve) => {
        server
          .once("error", () => resolve(false))
          .listen({ port, host: "0.0.0.0", exclusive: true }, () => resolve(true));
      });
      if (!bound) continue;
      this.#ports.set(key, server);
      return port;
    }
    throw new Error("no free port for the gang to meet on");
  }

  async #closePort(key: string): Promise<void> {
    const server = this.#ports.get(key);
    this.#ports.delete(key);
    if (server !== undefined) await new Promise((resolve) => server.close(resolve));
  }

  async #inTurn<Value>(key: string, act: () => Promise<Value>): Promise<Value> {
    const turn = (this.#turns.get(key) ?? Promise.resolve()).catch(() => {}).then(act);
    this.#turns.set(key, turn);
    try {
      return await turn;
    } finally {
      if (this.#turns.get(key) === turn) this.#turns.delete(key);
    }
  }
}

const everywhere: NetworkOrder = { egress: "all" };

/** Names on the machine carry it, so that two servers never touch what is the other's. */
export function networkMark(stateRoot: string): string {
  return createHash("sha256").update(stateRoot).digest("hex").slice(0, 6);
}

/** A member leaves its network; the last one takes it away. Called by its supervisor, and by the engine should that be gone. */
export async function leaveNetwork(folder: string, lease: string): Promise<void> {
  await rm(join(folder, "members", lease), { force: true });
  try {
    await rmdir(join(folder, "members"));
    const gone = `${folder}.gone`;
    await rename(folder, gone); // one of those that come here at the same moment
    const record = await readRecord(gone);
    if (record !== undefined) await removeNetwork(record);
    await rm(gone, { recursive: true, force: true });
  } catch (error) {
    if (!["ENOENT", "ENOTEMPTY", "EEXIST"].includes(codeOf(error) ?? "")) throw error;
  }
}

async function removeNetwork(record: NetworkRecord): Promise<void> {
  endProcesses(record);
  if (record.hub !== undefined && record.hub.holder === undefined) await removeHub(record.hub);
}

function endProcesses({ carriers = [], hub }: NetworkRecord): void {
  for (const each of [...carriers, ...(hub?.holder === undefined ? [] : [hub.holder])]) endProcess(each);
}

/** Where members resolve names that share one mount namespace. */
const heldRelay = "127.53.0.0";

async function writeResolver(folder: string, rank: number, address: string): Promise<string> {
  const file = join(folder, `resolver-${rank}`);
  await writeFile(file, resolverFileFor(address), { mode: 0o644 });
  return file;
}

function namesOf(nodes: readonly string[], addresses: readonly string[]) {
  const all = new Map(nodes.map((name, rank) => [name, addresses[rank]!]));
  return [...all].map(([name, address]) => ({ name, address }));
}

async function writeHosts(folder: string, rank: number, ...names: Parameters<typeof hostsFileFor>): Promise<string> {
  const file = join(folder, `hosts-${rank}`);
  await writeFile(file, hostsFileFor(...names), { mode: 0o644 });
  return file;
}

function sheetOf(folder: string, { hub, nodes, masterPort }: NetworkRecord, order: Meeting): NetworkSheet {
  const { network = everywhere, masterAddress, gangNodes } = order;
  if (hub === undefined) return { folder, masterAddress, masterPort, addresses: gangNodes.map(() => masterAddress) };
  const block = blockOf(hub.block);
  const addresses = gangNodes.map((node) => block.node(nodes.indexOf(node)));
  const namespace = nodePath(hub, nodes.indexOf(order.node));
  const { wayOut } = hub;
  const relays = wayOut !== undefined && (!isRouted(hub) || network.egress === "declared" || resolvesHere());
  const { holder } = hub;
  const own = userNamespace(hub);
  const wall = {
    namespace,
    hubNamespace: hubPath(hub),
    order: network,
    ...(wayOut !== undefined && { wayOut }),
    // Members on one node share its loopback.
    ...(relays && { relay: holder ? heldRelay : `127.53.${order.rank >> 8}.${order.rank & 0xff}` }),
    ...(own !== undefined && { userNamespace: own, mountNamespace: `/proc/${holder!.pid}/ns/mnt` }),
  };
  return { folder, masterAddress: addresses[0]!, masterPort, addresses, wall };
}

/** One network for each attempt of a job: the id of a lease without its rank. */
function keyOf(lease: LeaseId): string {
  return lease.replace(/-\d+$/, "");
}

async function readRecord(folder: string): Promise<NetworkRecord | undefined> {
  const text = await readFile(join(folder, recordFile), "utf8").catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as NetworkRecord);
}

function writeRecord(folder: string, record: NetworkRecord): Promise<void> {
  return replaceWhole(join(folder, recordFile), JSON.stringify(record));
}
