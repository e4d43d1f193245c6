import { refuse } from "@tessera/core";
import { Slices } from "../../flow/slices.ts";
import { isWithin } from "../../store/paths.ts";
import type { EndedJobRow, JobWalk } from "../../store/port.ts";
import type { Denial } from "../answer/problem.ts";
import type { Api } from "../context.ts";
import { type JobEntry, type JobFilter, matchesEnded, readsAll } from "./job-filter.ts";
import { compareInOrder, type JobOrder, type OrderPlace } from "./job-orders.ts";

export interface Ended {
  readonly entries: readonly JobEntry[];
  /** How far was looked, where there may be more. */
  readonly horizon: OrderPlace | undefined;
}

/** Rows that one look reads at least, where some are passed over. */
const rowsPerLook = 1_000;
/** Rows that one page reads at most, whatever it finds. */
const rowsMax = 20_000;
/** So few are put in order as they are asked for: an index would pass over many more. */
const fewMax = 10_000;
/** What looking into another group costs, in rows. */
const groupCost = 20;

/** What of a filter the store finds by its indexes. */
export function storeQuery({ roots, user, name, array, outcome }: JobFilter) {
  const some = roots.some((root) => root.path === "") ? [] : roots;
  return {
    accounts: some.map(({ path }) => path),
    madeAt: new Map(some.map(({ path, createdAt }) => [path, createdAt])),
    ...(user !== undefined && { user }),
    ...(name !== undefined && { name }),
    ...(array === undefined ? { tops: true } : { arrayId: array }),
    ...(outcome !== undefined && { outcome }),
  };
}

/**
 * Ended jobs after a place of an order. A page reads a bounded part of the past: where few match it stays short and
 * leads on.
 */
export async function endedInOrder(
  api: Api,
  filter: JobFilter,
  order: JobOrder,
  after: OrderPlace | undefined,
  wanted: number,
): Promise<Ended | Denial> {
  const look = new Look(api, filter, order, after, wanted);
  const { stored } = order;
  if ("all" in stored) return look.bySubmission(stored.all);
  if (await look.isFew()) return look.few();
  if ("group" in stored) return look.groupByGroup(stored);
  if (!api.control.reader.hasOrder(stored.key))
    return refuse(
      "invalid",
      "sort",
      order.name,
      `is for at most ${fewMax} ended jobs in a store that is encrypted, and more match`,
      "narrow the list (state, project, user), or sort by something else than the name",
    );
  return look.alongKey(stored.key);
}

/** One look for ended jobs, with what it has found so far. */
class Look {
  readonly #api: Api;
  readonly #filter: JobFilter;
  readonly #order: JobOrder;
  readonly #after: OrderPlace | undefined;
  readonly #wanted: number;
  readonly #asked: ReturnType<typeof storeQuery>;
  readonly #slices = new Slices();
  readonly #entries: JobEntry[] = [];
  #left = rowsMax;

  constructor(api: Api, filter: JobFilter, order: JobOrder, after: OrderPlace | undefined, wanted: number) {
    this.#api = api;
    this.#filter = filter;
    this.#order = order;
    this.#after = after;
    this.#wanted = wanted;
    this.#asked = storeQuery(filter);
  }

  /** All have the same key: they come before the place, after it, or some of each. */
  async bySubmission(key: string | number): Promise<Ended> {
    let after = this.#after;
    if (after !== undefined && after.key !== key) {
      if (compareInOrder(this.#order, { ...after, key }, after) < 0) return this.#found();
      after = undefined;
    }
    const { before } = this.#filter;
    if (after === undefined && this.#order.down && before !== undefined) after = { key, ...before };
    const limit = this.#perLook;
    while (this.#left > 0) {
      const query = { ...this.#asked, limit, oldestFirst: !this.#order.down, ...(after && { after }) };
      const rows = await this.#reader.jobs(query);
      await this.#take(rows);
      if (rows.length < limit || this.#isDone) return this.#found();
      this.#left -= rows.length;
      after = { key, submittedAt: rows.at(-1)!.submittedAt, id: rows.at(-1)!.id };
    }
    return this.#found(after);
  }

  /** Whether so few match that they are put in order here. Elements of an array are few. */
  async isFew(): Promise<boolean> {
    const { roots, array, user, name, outcome } = this.#filter;
    const isCut =
      [array, user, name, outcome].some((each) => each !== undefined) || !roots.some(({ path }) => path === "");
    return isCut && (await this.#reader.countJobs({ ...this.#asked, limit: fewMax + 1 })) <= fewMax;
  }

  async few(): Promise<Ended> {
    const order = this.#order;
    const places = (await this.#reader.jobKeys({ ...this.#asked, limit: fewMax }))
      .map((row) => ({ key: order.ended(row), submittedAt: row.submittedAt, id: row.id }))
      .filter((place) => this.#after === undefined || compareInOrder(order, this.#after, place) < 0)
      .sort((a, b) => compareInOrder(order, a, b));
    const atOnce = Math.min(this.#perLook, rowsPerLook);
    for (let from = 0; from < places.length && !this.#isDone; from += atOnce) {
      const ids = places.slice(from, from + atOnce).map(({ id }) => id);
      const rows = new Map((await this.#reader.jobsById(ids)).map((row) => [row.id, row]));
      await this.#take(ids.flatMap((id) => rows.get(id) ?? []));
    }
    return this.#found();
  }

  async alongKey(key: Extract<JobOrder["stored"], { key: unknown }>["key"]): Promise<Ended> {
    return this.#found(await this.#walk({ key }, this.#after));
  }

  async groupByGroup({ group, keyOf }: Extract<JobOrder["stored"], { group: unknown }>): Promise<Ended> {
    const { accounts } = this.#asked;
    const { user = "" } = this.#filter;
    const isWanted = (of: string) =>
      group === "user"
        ? user === "" || user === of
        : accounts.length === 0 || accounts.some((root) => isWithin(of, root));
    const way = this.#order.down ? -1 : 1;
    const groups = (await this.#reader.jobGroups(group))
      .filter(isWanted)
      .map((of) => ({ of, key: keyOf(of) }))
      .sort((a, b) => way * (a.key < b.key ? -1 : 1));
    for (const { of, key } of groups) {
      const after = this.#after?.key === key ? this.#after : undefined;
      if (this.#after !== undefined && after === undefined && way * (key < this.#after.key ? -1 : 1) < 0) continue;
      const upTo = await this.#walk({ group, of }, after);
      if (this.#isDone) return this.#found();
      if (upTo !== undefined) return this.#found({ ...upTo, key });
      this.#left -= groupCost;
      // Past the last of this group.
      if (this.#left <= 0)
        return this.#found({ key, submittedAt: this.#order.down ? -1 : Number.MAX_SAFE_INTEGER, id: "" });
    }
    return this.#found();
  }

  /** Walks until enough is found, to the end, or as far as is allowed, which it returns. */
  async #walk(along: JobWalk["along"], from: OrderPlace | undefined): Promise<OrderPlace | undefined> {
    const { down } = this.#order;
    const limit = this.#perLook;
    for (let after = from; ; ) {
      const walk = { ...this.#asked, along, down, limit, stepsMax: this.#left, ...(after && { after }) };
      const { rows, upTo, steps } = await this.#reader.walkJobs(walk);
      await this.#take(rows);
      this.#left -= steps;
      if (this.#isDone) return undefined;
      if (upTo !== undefined) return { key: "", ...upTo };
      if (rows.length < limit) return undefined;
      const last = rows.at(-1)!;
      after = { key: this.#order.ended(last), submittedAt: last.submittedAt, id: last.id };
      if (this.#left <= 0) return after;
    }
  }

  async #take(rows: readonly EndedJobRow[]): Promise<void> {
    const { state } = this.#api.control;
    for (const row of rows) {
      if (this.#slices.isOver) await this.#slices.next();
      if (matchesEnded(state, this.#filter, row)) this.#entries.push({ submittedAt: row.submittedAt, id: row.id, row });
    }
  }

  get #reader() {
    return this.#api.control.reader;
  }

  get #perLook(): number {
    return readsAll(this.#filter) ? Math.max(rowsPerLook, this.#wanted) : this.#wanted;
  }

  get #isDone(): boolean {
    return this.#entries.length >= this.#wanted;
  }

  #found(horizon?: OrderPlace): Ended {
    return this.#isDone
      ? { entries: this.#entries.slice(0, this.#wanted), horizon: undefined }
      : { entries: this.#entries, horizon };
  }
}
