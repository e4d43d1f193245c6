import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Report } from "@tessera/core";
import { codeOf, createWhole } from "./durable.ts";

/**
 * The state folder of the engine. What the control plane and a supervisor say to each other goes through files here,
 * so that either side may be killed at any moment and find out afterwards where things stand.
 */
export interface StateFolder {
  readonly root: string;
  /** One folder per lease that is not yet forgotten. Only ours: a job must never be able to write here. */
  readonly leases: string;
  /** How forgotten leases ended, one small file each. */
  readonly ended: string;
  /** Touched by a supervisor when it has written a report: one watch tells the engine which of hundreds to read. */
  readonly hints: string;
  /** Working and temporary directories of the jobs, owned by their tenants. */
  readonly work: string;
  /** What a job keeps from one attempt to the next, owned by its tenant; one folder per job. */
  readonly jobs: string;
  /** Session scripts, a folder per lease: ours to write, the tenant's to read. */
  readonly doors: string;
  /** What jobs keep for the next ones, such as downloaded packages; one folder per tenant. */
  readonly cache: string;
  readonly logs: string;
  /** Outputs of jobs that others mount, unpacked once for each tenant. */
  readonly mounts: string;
  /** The networks of jobs that run: one folder for each attempt of a job. */
  readonly networks: string;
  /** One file per epoch seen; the highest name counts. Creating a name cannot undo a higher one, rewriting a file could. */
  readonly epochs: string;
  /** One file per unprivileged user id that was given to a tenant. */
  readonly tenants: string;
}

export function stateFolder(root: string): StateFolder {
  return {
    root,
    leases: join(root, "leases"),
    ended: join(root, "ended"),
    hints: join(root, "hints"),
    work: join(root, "work"),
    jobs: join(root, "jobs"),
    mounts: join(root, "mounts"),
    doors: join(root, "doors"),
    cache: join(root, "cache"),
    logs: join(root, "logs"),
    networks: join(root, "networks"),
    epochs: join(root, "epochs"),
    tenants: join(root, "tenants"),
  };
}

/** What is kept for a whole job: its checkpoint, and since when the job is known to have ended. */
export function jobFolders({ jobs }: StateFolder, job: string) {
  const folder = join(jobs, job);
  return { folder, checkpoint: join(folder, "checkpoint"), ended: join(folder, "ended") };
}

/** The names inside a lease folder. */
export const leaseFile = {
  /** What to run and how, without secret values. */
  order: "order.json",
  /** Who answers for this lease: the one supervisor that may run it, or the engine where it must never run. */
  claim: "claim.json",
  /** Written by the supervisor alone, one report a line. */
  reports: "reports.ndjson",
  /** The last report where the engine had to write it, because the supervisor was gone. */
  final: "final.json",
  /** Present when the held member may go. */
  release: "release",
  /** The newest stop order. */
  stop: "stop.json",
  /** The highest report number that the control plane has made durable. */
  acknowledged: "acknowledged",
  /** The socket of the supervisor where people enter the running member. */
  entrance: "entrance",
  /** What the supervisor itself had to say when it failed. */
  complaints: "supervisor.err",
} as const;

/**
 * Taken exactly once per lease. The supervisor that holds it is the only one that may ever run the member: a second
 * one finds it taken and leaves [S16]. The engine takes it where the member must never run, and says in it how it ended.
 */
export type Claim =
  | { readonly by: "supervisor"; readonly pid: number; readonly startedAt: string; readonly bootId: string }
  | { readonly by: "engine"; readonly final: Report };

export function takeClaim(leaseFolder: string, claim: Claim): Promise<boolean> {
  return createWhole(join(leaseFolder, leaseFile.claim), JSON.stringify(claim));
}

export async function readClaim(leaseFolder: string): Promise<Claim | undefined> {
  const text = await readIfThere(join(leaseFolder, leaseFile.claim));
  return text === undefined ? undefined : (JSON.parse(text) as Claim);
}

/** Every report of a lease, oldest first. The end of a line that was never finished is not a report. */
export async function readReports(leaseFolder: string): Promise<Report[]> {
  const written = (await readIfThere(join(leaseFolder, leaseFile.reports))) ?? "";
  const reports = written
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Report);
  const claim = await readClaim(leaseFolder);
  if (claim?.by === "engine") reports.push(claim.final);
  const final = await readIfThere(join(leaseFolder, leaseFile.final));
  if (final !== undefined) reports.push(JSON.parse(final) as Report);
  return reports;
}

/** How much a supervisor has reported so far: whether it is worth reading again. */
export async function reportBytes(leaseFolder: string): Promise<number> {
  try {
    return (await stat(join(leaseFolder, leaseFile.reports))).size;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return 0;
    throw error;
  }
}

export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** True for a report after which nothing more can come. */
export function isLast(report: Report | undefined): boolean {
  return report !== undefined && lastKinds.has(report.what.kind);
}

const lastKinds = new Set(["exited", "lost", "refused", "scrub-failed"]);
