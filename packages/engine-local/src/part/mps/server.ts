import { chmod, mkdir, readdir, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { replaceWhole } from "../../lease/durable.ts";
import { readClaim, readIfThere } from "../../lease/folder.ts";
import { descendantsOf, findProcess, isAlive, sendSignal } from "../../supervise/processes.ts";
import { withGpu } from "../lock.ts";
import { answers, command, serversIn, startDaemon } from "./control.ts";
import { type MpsMachine, type MpsPlace, placeAt } from "./place.ts";

/** What all servers of an engine rest on. */
export interface MpsSite {
  /** One folder for each server. */
  readonly folder: string;
  /** Where locks on GPUs lie. */
  readonly locks: string;
  readonly leases: string;
  readonly bootId: string;
  readonly machine: MpsMachine;
}

/** A member that uses a server. */
export interface MpsMember {
  readonly lease: string;
  readonly job: string;
  readonly tenant: string;
  readonly threads: number;
  readonly memoryMiB: number;
}

interface Daemon {
  readonly gpu: string;
  readonly bootId: string;
  readonly severalUsers: boolean;
}

/**
 * Lets a member use the server of its GPU and trust group: starts the daemon for the first, and raises what a client may
 * have without limits of its own to the largest part. The daemon outlives engine and supervisors until its last user leaves.
 * Call this, and what follows, while the lock on the GPU is held.
 */
export async function joinServer(site: MpsSite, place: MpsPlace, member: MpsMember): Promise<void> {
  if (await stopUnused(site, place.gpu, place))
    throw new Error("tenants of another trust group use this GPU by MPS, and they never share a server");
  const others = (await liveMembers(site, place)).filter(({ lease }) => lease !== member.lease);
  const daemon = await openDaemon(site, place, others.length > 0);
  if (!daemon.severalUsers && others.some(({ tenant }) => tenant !== member.tenant))
    throw new Error("the MPS of this driver serves one user at a time, and another tenant of the group uses it");
  await replaceWhole(join(place.members, member.lease), JSON.stringify(member));
  await setLimits(place, [...others, member]);
}

/** Ends its use; the daemon stops with its last user. */
export async function leaveServer(site: MpsSite, place: MpsPlace, lease: string): Promise<void> {
  await rm(join(place.members, lease), { force: true });
  await stopIfUnused(site, place);
}

/**
 * Stops the servers of a GPU that no live member uses, since supervisors may have been killed: they would keep the GPU from
 * being reset or cut. True if one of them is in use, `except` left aside.
 */
export async function stopUnused(site: MpsSite, gpu: string, except?: MpsPlace): Promise<boolean> {
  let inUse = false;
  for (const place of await placesOf(site)) {
    if (place.gpu === gpu && place.folder !== except?.folder && (await stopIfUnused(site, place))) inUse = true;
  }
  return inUse;
}

/** The same for all GPUs, while no supervisor changes them. */
export async function sweepServers(site: MpsSite): Promise<void> {
  for (const gpu of new Set((await placesOf(site)).map((place) => place.gpu)))
    await withGpu(site.locks, gpu, () => stopUnused(site, gpu));
}

async function placesOf({ folder, machine }: MpsSite): Promise<MpsPlace[]> {
  const places: MpsPlace[] = [];
  for (const key of await readdir(folder).catch(() => [])) {
    const daemon = await readDaemon(join(folder, key));
    if (daemon !== undefined) places.push(placeAt(folder, key, daemon.gpu, machine));
  }
  return places;
}

/** The members whose supervisor lives. */
export async function liveMembers(site: MpsSite, place: MpsPlace): Promise<MpsMember[]> {
  const live: MpsMember[] = [];
  for (const lease of await readdir(place.members).catch(() => [])) {
    const text = await readIfThere(join(place.members, lease));
    const claim = await readClaim(join(site.leases, lease));
    if (text === undefined || claim?.by !== "supervisor") continue;
    if (claim.bootId === site.bootId && isAlive(claim.pid, claim.startedAt)) live.push(JSON.parse(text) as MpsMember);
  }
  return live;
}

async function openDaemon(site: MpsSite, place: MpsPlace, inUse: boolean): Promise<Daemon> {
  const known = await readDaemon(place.folder);
  if (known?.bootId === site.bootId && (await answers(place, inUse ? 20 : 1))) return known;
  if (inUse) throw new Error("the MPS daemon of this GPU does not answer, and other jobs use it");
  await stopDaemon(place);
  await removePlace(place);
  await makePlace(place);
  const daemon: Daemon = { gpu: place.gpu, bootId: site.bootId, severalUsers: false };
  // Before its start: whatever happens then, it can be found and stopped.
  await writeDaemon(place, daemon);
  const started = { ...daemon, ...(await startDaemon(place)) };
  await writeDaemon(place, started);
  return started;
}

async function makePlace({ folder, pipe, pipeShown, log, members, shm, around }: MpsPlace): Promise<void> {
  for (const path of [dirname(folder), folder, log, members]) await mkdir(path, { recursive: true, mode: 0o700 });
  await mkdir(pipe, { recursive: true });
  await chmod(pipe, 0o755);
  if (around.length === 0) return;
  await mkdir(pipeShown, { recursive: true });
  await mkdir(dirname(shm), { recursive: true, mode: 0o700 });
  await mkdir(shm, { recursive: true });
  await chmod(shm, 0o1777);
}

/** What a client may have at most that sets no limit of its own: the largest part on this server. */
async function setLimits(place: MpsPlace, members: readonly MpsMember[]): Promise<void> {
  const memory = `${Math.max(...members.map(({ memoryMiB }) => memoryMiB))}M`;
  const threads = Math.max(...members.map((each) => each.threads));
  await command(
    place,
    `set_default_device_pinned_mem_limit 0 ${memory}`,
    `set_default_active_thread_percentage ${threads}`,
  );
  for (const server of serversIn(await command(place, "get_server_list"))) {
    const limits = [
      `set_device_pinned_mem_limit ${server} 0 ${memory}`,
      `set_active_thread_percentage ${server} ${threads}`,
    ];
    await command(place, ...limits);
  }
}

/** True if it is in use. */
async function stopIfUnused(site: MpsSite, place: MpsPlace): Promise<boolean> {
  const left = await liveMembers(site, place);
  const daemon = await readDaemon(place.folder);
  if (left.length > 0) {
    // A daemon that does not answer has no clients to limit.
    await setLimits(place, left).catch(() => {});
    return true;
  }
  if (daemon?.bootId === site.bootId) await stopDaemon(place);
  await removePlace(place);
  return false;
}

const quitMsMax = 5_000;

/** Asks it to quit, and ends by force what does not. */
async function stopDaemon(place: MpsPlace): Promise<void> {
  const pid = await daemonPid(place);
  if (pid === undefined) return;
  const family = [pid, ...descendantsOf(pid)].flatMap((each) => findProcess(each) ?? []);
  await command(place, "quit").catch(() => {});
  const until = performance.now() + quitMsMax;
  const left = () => family.filter((each) => isAlive(each.pid, each.startedAt));
  while (left().length > 0 && performance.now() < until) await sleep(20);
  for (const each of left()) sendSignal(each.pid, "SIGKILL");
  while (left().length > 0) await sleep(20);
}

/** The number that the daemon wrote down, if that process is one of MPS. */
async function daemonPid({ pipe }: MpsPlace): Promise<number | undefined> {
  const text = await readIfThere(join(pipe, "nvidia-cuda-mps-control.pid"));
  const pid = Number(text?.trim());
  if (!(pid > 1)) return undefined;
  const words = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  return words.includes("mps-control") ? pid : undefined;
}

async function removePlace({ folder, shm, around }: MpsPlace): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  if (around.length > 0) await rm(shm, { recursive: true, force: true });
}

async function readDaemon(folder: string): Promise<Daemon | undefined> {
  const text = await readIfThere(join(folder, "daemon.json"));
  return text === undefined ? undefined : (JSON.parse(text) as Daemon);
}

async function writeDaemon({ folder }: MpsPlace, daemon: Daemon): Promise<void> {
  await replaceWhole(join(folder, "daemon.json"), JSON.stringify(daemon));
}
