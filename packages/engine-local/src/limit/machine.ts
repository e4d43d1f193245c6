import { spawn } from "node:child_process";
import { chmod, chown, mkdir, mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { standardPath } from "../supervise/job.ts";
import { type Closet, closetCommand, type Means, shown } from "./closet.ts";
import type { FilterLoader } from "./filter.ts";
import { findHierarchies, groupMounts, type Hierarchy } from "./hierarchies.ts";
import { examineNetwork, type NetworkMeans } from "./network/means.ts";
import { networkMark } from "./network/networks.ts";
import { hasQuota } from "./quota.ts";
import { seccompFilter } from "./seccomp.ts";

/** What this machine, with our rights, can enforce. Found out by trying each thing once. */
export interface Machine {
  readonly isRoot: boolean;
  readonly hierarchies: readonly Hierarchy[];
  /** The strongest of the ways to close a job in that works here. */
  readonly means: Means;
  /** The compiled filter of system calls and what loads it, where it can be loaded. */
  readonly seccomp?: { readonly file: string; readonly loader: FilterLoader };
  /** Where control group hierarchies of all kinds are mounted, to be hidden from jobs. */
  readonly groupMounts: readonly string[];
  /** How networks of jobs are kept apart; absent = they are not. */
  readonly network?: NetworkMeans;
  /** The file system of the work folders counts what each may hold. */
  readonly quota?: true;
  /** A group for the supervisors, outside the unit in which a service manager may keep us. */
  readonly supervisorGroup?: string;
}

/** Tries what works here, strongest first. `without` leaves out means that are there, for tests of the weaker ones. */
export async function examineMachine(stateFolder: string, without: readonly Means[] = []): Promise<Machine> {
  const isRoot = process.getuid?.() === 0;
  const hierarchies = findHierarchies();
  const supervisorGroup = isRoot ? await makeSupervisorGroup(hierarchies) : undefined;
  const network = await examineNetwork(stateFolder, networkMark(stateFolder), isRoot);
  const found = {
    isRoot,
    hierarchies,
    groupMounts: groupMounts(),
    ...(supervisorGroup === undefined ? {} : { supervisorGroup }),
    ...(network === undefined ? {} : { network }),
    ...(isRoot && (await tryQuota(stateFolder)) && { quota: true as const }),
  };
  const file = await writeFilter(stateFolder);
  if (isRoot) await makeShownFolders();
  const strongest: readonly Means[] = isRoot ? ["bwrap", "unshare", "user"] : ["bwrap", "nothing"];
  for (const means of strongest) {
    if (without.includes(means)) continue;
    for (const loader of loadersOf(means)) {
      const seccomp = file === undefined ? undefined : { file, loader };
      if (seccomp !== undefined && (await works(stateFolder, { ...found, means, seccomp })))
        return { ...found, means, seccomp };
    }
    if (means !== "nothing" && (await works(stateFolder, { ...found, means }))) return { ...found, means };
  }
  return { ...found, means: "nothing" };
}

async function tryQuota(stateFolder: string): Promise<boolean> {
  const folder = await mkdtemp(join(stateFolder, "trial-"));
  await chown(folder, trialUser, trialUser);
  const held = await hasQuota(folder, trialUser);
  await rm(folder, { recursive: true, force: true });
  return held;
}

function loadersOf(means: Means): readonly FilterLoader[] {
  return means === "bwrap" ? ["bwrap"] : ["perl"];
}

async function makeSupervisorGroup(hierarchies: readonly Hierarchy[]): Promise<string | undefined> {
  const top = hierarchies.find(({ version }) => version === 2)?.top;
  if (top === undefined) return undefined;
  const folder = join(top, "supervisors");
  return mkdir(folder, { recursive: true }).then(
    () => folder,
    () => undefined,
  );
}

async function writeFilter(stateFolder: string): Promise<string | undefined> {
  const filter = seccompFilter(process.arch);
  if (filter === undefined || process.platform !== "linux") return undefined;
  const file = join(stateFolder, "seccomp.bpf");
  await writeFile(file, filter, { mode: 0o600 });
  return file;
}

async function makeShownFolders(): Promise<void> {
  try {
    const { closed, ...folders } = shown;
    for (const folder of Object.values(folders)) {
      await mkdir(folder, { recursive: true });
      await chmod(folder, 0o755);
    }
    await writeFile(closed, "", { flag: "a", mode: 0 });
  } catch {
    // Then nothing can be shown there, and the trials below say so.
  }
}

const trialUser = 65_534;

const trialMsMax = 10_000;

/** Runs `true` in it. */
async function works(stateFolder: string, { means, isRoot, seccomp, groupMounts }: Machine): Promise<boolean> {
  const folder = await mkdtemp(join(stateFolder, "trial-"));
  const filter = seccomp === undefined ? undefined : await open(seccomp.file, "r");
  try {
    const closet: Closet = {
      means,
      ...(isRoot ? { user: trialUser } : {}),
      hidden: [stateFolder],
      workFolder: folder,
      temporaryFolder: folder,
      workPath: isRoot ? shown.work : folder,
      binds: [],
      newFolders: [],
      controlGroups: { hidden: groupMounts },
      coveredDevices: [],
      ...(seccomp === undefined ? {} : { filter: seccomp.loader }),
    };
    const [program, ...words] = [...closetCommand(closet), "true"];
    return await runs(program!, words, filter?.fd);
  } finally {
    await filter?.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function runs(program: string, words: readonly string[], filter: number | undefined): Promise<boolean> {
  const child = spawn(program, words, {
    cwd: "/",
    env: { PATH: standardPath },
    stdio: ["ignore", "ignore", "ignore", filter ?? "ignore"],
  });
  const impatience = setTimeout(() => child.kill("SIGKILL"), trialMsMax).unref();
  child.once("exit", () => clearTimeout(impatience));
  return new Promise((resolve) => {
    child.once("error", () => resolve(false)).once("exit", (code) => resolve(code === 0));
  });
}
