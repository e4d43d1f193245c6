import { type FSWatcher, watch } from "node:fs";
import { join } from "node:path";
import type { LeaseId, Report, ReportWhat } from "@tessera/core";
import { upMs } from "@tessera/engine";
import type { Networks } from "../limit/network/networks.ts";
import { isAlive, sendSignal } from "../supervise/processes.ts";
import type { RunSheet } from "../supervise/sheet.ts";
import { endTree, removeGroups } from "../supervise/tree.ts";
import { createWhole, syncFolder } from "./durable.ts";
import { type Claim, leaseFile, readIfThere, readReports, reportBytes, type StateFolder, takeClaim } from "./folder.ts";
import type { Housekeeping } from "./housekeeping.ts";
import type { Leases } from "./leases.ts";
import type { LeaseRecord } from "./record.ts";

/** A hint can be missed; a report is then seen this much later. */
const lookEveryMs = 1_000;

export interface Scene {
  readonly state: StateFolder;
  readonly leases: Leases;
  readonly networks: Networks;
  readonly housekeeping: Housekeeping;
  readonly bootId: string;
  /** Called before it is told that a member has ended, so that a fault of the machine is known first. */
  readonly beforeEnd: () => Promise<void>;
}

/** Follows what supervisors report until each lease has ended, and ends it where its supervisor is gone. */
export class Follower {
  readonly #scene: Scene;
  #listener: ((report: Report) => void) | undefined;
  #watcher: FSWatcher | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  /** Begins to watch for hints: before leases are read, so that none is missed. */
  watch(): void {
    try {
      this.#watcher = watch(this.#scene.state.hints, (_, name) => {
        const record = this.#scene.leases.get(name as LeaseId);
        if (record !== undefined) this.lookSoon(record);
      });
      this.#watcher.on("error", () => {});
      this.#watcher.unref();
    } catch {
      // No watch is left on this machine: reports are seen a second later.
    }
  }

  lookRegularly(): void {
    this.#timer = setInterval(() => {
      for (const record of this.#scene.leases.all()) if (!record.hasEnded) this.lookSoon(record);
    }, lookEveryMs).unref();
  }

  subscribe(listener: (report: Report) => void): void {
    this.#listener = listener;
    for (const record of this.#scene.leases.all()) this.#tell(record.unacknowledged());
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    this.#watcher?.close();
    this.#listener = undefined;
    await this.#scene.leases.settled();
  }

  lookSoon(record: LeaseRecord): void {
    if (this.#closed || record.lookAhead) return;
    record.lookAhead = true;
    this.#scene.leases
      .inTurn(record.id, async () => {
        record.lookAhead = false;
        if (!this.#closed) await this.#look(record);
      })
      .catch(() => {}); // whatever stood in the way, it is looked at again in a second
  }

  /** Asked for something that happened long ago, the control plane does not know of it: it may have been restored. */
  tellAgain(record: LeaseRecord): void {
    this.#scene.leases.keep(record);
    record.acknowledged = 0;
    this.#tell(record.reports);
  }

  /** Ends a lease without a supervisor, for good. False when a supervisor was faster: then that one must be told. */
  async endUnclaimed(record: LeaseRecord, what: ReportWhat): Promise<boolean> {
    if (!(await takeClaim(record.folder, { by: "engine", final: this.#reportOf(record, what) }))) return false;
    await syncFolder(this.#scene.state.leases);
    this.#tell(record.take(await readReports(record.folder)));
    return true;
  }

  /** Tells the supervisor to look at its folder. Only a claimed one listens; the others look when they have claimed. */
  async poke(record: LeaseRecord): Promise<void> {
    const claim = await record.claim();
    if (claim?.by === "supervisor" && this.#isSupervised(claim)) sendSignal(claim.pid, "SIGUSR2");
  }

  supervisorEnded(record: LeaseRecord, complaint: string): void {
    record.supervised = false;
    this.#scene.leases
      .inTurn(record.id, async () => {
        if (this.#closed) return;
        await this.#look(record);
        if (record.hasEnded || (await record.claim()) !== undefined) return;
        const reason = `its supervisor could not be started: ${complaint.slice(-500) || "it said nothing"}`;
        await this.endUnclaimed(record, { kind: "refused", reason });
      })
      .catch(() => {}); // it stays unclaimed: the next bind starts another
  }

  /** Reads what is new of a lease, and finds out whether a supervisor still answers for it. */
  async #look(record: LeaseRecord): Promise<void> {
    if (record.hasEnded) return;
    const claim = await record.claim();
    const answered = claim === undefined || this.#isSupervised(claim);
    // After the question whether it lives: its last words may have been written in between.
    const bytes = await reportBytes(record.folder);
    if (answered && bytes === record.bytesSeen) return;
    record.bytesSeen = bytes;
    const reports = await readReports(record.folder);
    // What brought it down is told first: a fault of the machine costs the job nothing.
    if (reports.at(-1)?.what.kind === "exited") await this.#scene.beforeEnd();
    this.#tell(record.take(reports));
    if (!answered && !record.hasEnded) await this.#endLost(record, claim);
  }

  /** Ends what a dead supervisor left behind, then says so. */
  async #endLost(record: LeaseRecord, claim: Claim): Promise<void> {
    const { leases, networks, housekeeping, bootId } = this.#scene;
    const written = await readIfThere(join(record.folder, leaseFile.order));
    if (written === undefined) {
      leases.drop(record.id); // another engine on this folder has seen it to its end
      return;
    }
    const restarted = claim.by === "supervisor" && claim.bootId !== bootId;
    if (!restarted) {
      const sheet = JSON.parse(written) as RunSheet;
      await endTree({ mark: sheet.mark, groups: sheet.groups, contained: false });
      await endTree({ mark: sheet.mark, groups: [], contained: false });
      await removeGroups(sheet.groups);
      await networks.leave(record.id);
      void housekeeping.sweepServers();
    }
    const reason = restarted ? "the machine was restarted" : "its supervisor is gone; what it left behind was ended";
    const report = this.#reportOf(record, { kind: "lost", reason });
    await createWhole(join(record.folder, leaseFile.final), JSON.stringify(report));
    this.#tell(record.take(await readReports(record.folder)));
  }

  #isSupervised(claim: Claim): boolean {
    return claim.by === "supervisor" && claim.bootId === this.#scene.bootId && isAlive(claim.pid, claim.startedAt);
  }

  #reportOf(record: LeaseRecord, what: ReportWhat): Report {
    const at = Math.max(Date.now(), record.reports.at(-1)?.at ?? 0);
    return { lease: record.id, sequence: record.sequence + 1, bootId: this.#scene.bootId, at, upMs: upMs(), what };
  }

  #tell(reports: readonly Report[]): void {
    for (const report of reports) this.#listener?.(report);
  }
}
