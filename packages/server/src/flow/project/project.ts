import {
  accountOf,
  DeviceTimeline,
  type Event,
  type Input,
  Meter,
  type ReadonlyState,
  type Stretch,
  unmadeById,
} from "@tessera/core";
import type { AuditRow, BookRow, EndedJobRow, Projected, UsageRow } from "../../store/port.ts";
import { accountOfUser, auditOf, auditOfMounts, auditOfNotes } from "./audit.ts";
import { meterRows, moneyRows, outputRows } from "./book-rows.ts";
import { endedJobRows } from "./ended.ts";

/**
 * Turns the events of one batch into rows for the tables that queries read. Call `see` for each event before it is
 * applied to the state. The rows are a pure function of journal and state, so a rebuild gives the same ones.
 */
export class Projector {
  readonly #jobs: EndedJobRow[] = [];
  readonly #audit: AuditRow[] = [];
  readonly #seq: number;
  readonly #devices = new DeviceTimeline();
  readonly #meter: Meter;
  readonly #money: Omit<BookRow, "seq" | "index">[] = [];
  readonly #subjects = new Map<string, string>();

  constructor(seq: number) {
    this.#seq = seq;
    this.#meter = new Meter(seq, this.#devices);
  }

  see(event: Event, state: ReadonlyState): void {
    this.#meter.see(event, state);
    for (const row of moneyRows(event)) this.#money.push(row);
    if (event.kind === "job-placed") this.#audit.push(...auditOfMounts(event, state, this.#seq, this.#audit.length));
    if (event.kind !== "job-ended") return;
    this.#jobs.push(...endedJobRows(state, event));
    this.#money.push(...outputRows(state, event));
  }

  /** Notes the account of each command's subject before the batch can remove the subject. */
  noteSubjects(inputs: readonly Input[], state: ReadonlyState): void {
    for (const input of inputs) {
      if (input.kind !== "command") continue;
      const { command } = input;
      if (command.kind === "token.revoke") {
        const user = state.tokens.get(command.token)?.user;
        if (user !== undefined) this.#subjects.set(command.token, accountOfUser(state, user));
      } else if ("job" in command) {
        const { jobById, arrayById } = state;
        const job = jobById.get(command.job) ?? arrayById.get(command.job) ?? unmadeById(state, command.job);
        const account = job?.account;
        if (account !== undefined) this.#subjects.set(command.job, accountOf(state, account).path);
      }
    }
  }

  finish(inputs: readonly Input[], state: ReadonlyState, at: number): Projected {
    this.#meter.finish(state);
    for (const [index, input] of inputs.entries()) {
      if (input.kind !== "command") continue;
      if (input.command.kind === "audit.note") {
        this.#audit.push(...auditOfNotes(input.command.notes, at, this.#seq, index, inputs.length));
        continue;
      }
      const row = auditOf(input, state, at, this.#seq, index);
      this.#audit.push(row.account === "" ? { ...row, account: this.#subjects.get(row.target) ?? "" } : row);
    }
    const { records } = this.#meter;
    const seq = this.#seq;
    return {
      jobs: this.#jobs,
      usage: records.flatMap((each) => (each.is === "stretch" ? usageRows(each.record) : [])),
      devices: this.#devices.changes.map((change) => ({ ...change, seq })),
      audit: this.#audit,
      books: [...records.flatMap(meterRows), ...this.#money].map((row, index) => ({ ...row, seq, index })),
    };
  }
}

/** A stretch as the usage table holds it: one row per device. */
export function usageRows({ devices, unitsEach, ...stretch }: Stretch): UsageRow[] {
  const { lease, job, account, user, node, model, fromAt, toAt } = stretch;
  return devices.map(({ gpu, state }) => ({
    ...{ lease, job, account, user, node, gpu, model, units: unitsEach, state },
    ...{ class: stretch.class, fromAt, toAt },
  }));
}
