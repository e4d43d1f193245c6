import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { JobId, LeaseId } from "@tessera/core";
import type { Clock } from "@tessera/engine";
import type { Machine } from "../limit/machine.ts";
import type { Networks } from "../limit/network/networks.ts";
import { gpuFolder } from "../limit/plan.ts";
import { mpsFolder } from "../part/mps/place.ts";
import { sweepServers } from "../part/mps/server.ts";
import type { RunSheet } from "../supervise/sheet.ts";
import { pruneCaches } from "./cache.ts";
import { codeOf, createWhole } from "./durable.ts";
import { leaseFile, readIfThere, type StateFolder } from "./folder.ts";
import type { Leases } from "./leases.ts";
import type { LeaseRecord } from "./record.ts";
import { type Keep, prune, removeTree, sweepJobs } from "./retention.ts";

export interface House {
  readonly state: StateFolder;
  readonly leases: Leases;
  readonly networks: Networks;
  readonly machine: Machine;
  readonly bootId: string;
  readonly clock: Clock;
  readonly keep: Keep;
}

/** Removes what is over: leases that were acknowledged, what was kept long enough, servers without users. */
export class Housekeeping {
  readonly #house: House;

  constructor(house: House) {
    this.#house = house;
  }

  /** Keeps how it ended and its log, and lets go of the rest. */
  async forget(record: LeaseRecord): Promise<void> {
    await createWhole(join(this.#house.state.ended, `${record.id}.json`), JSON.stringify(record.reports.at(-1)));
    await this.letGo(record);
  }

  async letGo(record: LeaseRecord): Promise<void> {
    const { state, leases, networks } = this.#house;
    leases.drop(record.id);
    await networks.leave(record.id);
    // Away in one step. A supervisor that an earlier engine started and that is late would else find a folder of which
    // no more than the claim has been removed, take it, and run the member again (S16).
    const gone = join(state.work, `${record.id}.gone`);
    await rename(record.folder, gone).catch(unlessMissing);
    await rm(join(state.hints, record.id), { force: true });
    for (const left of [gone, join(state.work, record.id), join(state.doors, record.id)]) {
      await removeTree(left).catch(() => {}); // tried again when the engine prunes
    }
  }

  /** What cannot be removed now is tried again in an hour; it only takes room. */
  async prune(): Promise<void> {
    const { state, leases, keep } = this.#house;
    await prune(state, keep, this.#ageFrom(), (lease) => leases.get(lease as LeaseId) !== undefined).catch(() => {});
    await pruneCaches(state.cache, keep.cacheBytes, await this.#busyTenants()).catch(() => {});
  }

  /** Removes what was kept for jobs that have been over for long enough. */
  async sweepJobs(isLive: (job: JobId) => boolean): Promise<void> {
    const { state, keep } = this.#house;
    await sweepJobs(state, keep.checkpointMs, this.#ageFrom(), (job) => isLive(job as JobId));
  }

  /** MPS servers outlive supervisors that were killed. What cannot be stopped now is, before its GPU is next taken. */
  async sweepServers(): Promise<void> {
    const { state, bootId, machine } = this.#house;
    const locks = gpuFolder(state);
    const site = { folder: mpsFolder(locks), locks, leases: state.leases, bootId, machine };
    await sweepServers(site).catch(() => {});
  }

  /** Files bear times of the machine's clock. Whichever way that was set, nothing is removed before its time. */
  #ageFrom(): number {
    return Math.min(this.#house.clock.now(), Date.now());
  }

  /** Tenants with a member that may be reading its cache. */
  async #busyTenants(): Promise<ReadonlySet<string>> {
    const sheets = [...this.#house.leases.all()].map((record) => readIfThere(join(record.folder, leaseFile.order)));
    const written = (await Promise.all(sheets)).filter((sheet) => sheet !== undefined);
    return new Set(written.map((sheet) => (JSON.parse(sheet) as RunSheet).order.tenant));
  }
}

function unlessMissing(error: unknown): void {
  if (codeOf(error) !== "ENOENT") throw error;
}
