import type { LineName, Sink } from "../lines.ts";
import type { RollUpAnswer, RollUpQuery } from "../query.ts";
import { secondsOf } from "../waits.ts";

const minute = 60_000;

/** Amounts by key. */
type Amounts = ReadonlyMap<string, number>;

/** Keeps every value of every minute, and answers by adding them up: what roll-ups are compared with. */
export class NaiveRollUps implements Sink {
  /** By name and account, and minute. */
  readonly #minutes = new Map<string, Map<number, Map<string, number>>>();
  readonly #keys = new Map<string, Set<string>>();
  /** Of steps that were asked for before. */
  readonly #sums = new Map<string, Amounts>();
  /** The minute that is open. */
  now: number;

  constructor(from: number) {
    this.now = from;
  }

  add(name: LineName, account: string, key: string, value: number): void {
    if (value === 0) return;
    const line = `${name} ${account}`;
    const keys = this.#keys.get(line) ?? new Set();
    const minutes = this.#minutes.get(line) ?? new Map<number, Map<string, number>>();
    const amounts = minutes.get(this.now) ?? new Map<string, number>();
    amounts.set(key, (amounts.get(key) ?? 0) + value);
    this.#keys.set(line, keys.add(key));
    this.#minutes.set(line, minutes.set(this.now, amounts));
  }

  /** The query's step is one that the level has which answers it. */
  answer({ name, kind, key: only, groups, byKey, from, to, stepMs, linesMax }: RollUpQuery): RollUpAnswer {
    const first = Math.floor(from / stepMs) * stepMs;
    const times: number[] = [];
    for (let at = first; at < to; at += stepMs) times.push(at);
    const valueAt = (amount: number, at: number) => {
      const samples = this.#sumsOf("samples", "", at, stepMs).get("") ?? 0;
      const isOpen = this.now >= at && this.now < at + stepMs;
      if (samples === 0 && (kind === "gauge" || kind === "last" || !isOpen)) return null;
      return Math.round((kind === "gauge" ? amount / samples : amount) * 1e6) / 1e6;
    };
    const keysOf = (account: string) =>
      [...(this.#keys.get(`${name} ${account}`) ?? [])].filter((key) => only === undefined || key === only);
    const amountsOf = (account: string, at: number) =>
      kind === "last"
        ? this.#sumsOf(name, account, Math.min(at + stepMs, this.now) - minute, minute)
        : this.#sumsOf(name, account, at, stepMs);
    const amount = (accounts: readonly string[], key: string | undefined, at: number) => {
      let sum = 0;
      for (const account of accounts)
        for (const [each, value] of amountsOf(account, at))
          if ((only === undefined || each === only) && (key === undefined || each === key)) sum += value;
      return sum;
    };
    const found = new Map<string, (number | null)[]>();
    if (kind === "quotient") {
      const quotientAt = (account: string, key: string, at: number) => {
        const sums = this.#sumsOf(name, account, at, stepMs);
        const by = sums.get(`/${key}`) ?? 0;
        return by === 0 ? Number.NaN : (sums.get(key) ?? 0) / by;
      };
      const valuesOf = (some: typeof groups, key: string) =>
        times.map((at) => {
          let sum = 0;
          for (const { plus, minus } of some) {
            for (const account of plus) sum += quotientAt(account, key, at);
            for (const account of minus) sum -= quotientAt(account, key, at);
          }
          return Number.isNaN(sum) ? null : Math.round(sum * 1e6) / 1e6;
        });
      const accounts = groups.flatMap(({ plus, minus }) => [...plus, ...minus]);
      const keys = new Set(
        accounts
          .flatMap((account) => [...(this.#keys.get(`${name} ${account}`) ?? [])])
          .map((key) => key.replace("/", "")),
      );
      if (byKey) for (const key of keys) found.set(key, valuesOf(groups, key));
      else for (const group of groups) found.set(group.key, valuesOf([group], only ?? ""));
      const isOne = !byKey && groups.length === 1;
      for (const [key, values] of found) if (!isOne && values.every((value) => value === null)) found.delete(key);
      for (const { key, minus } of groups)
        if (minus.length > 0 && (found.get(key) ?? []).every((value) => value === null || value === 0))
          found.delete(key);
    } else if (byKey && typeof kind === "string") {
      const accounts = groups.flatMap(({ plus, minus }) => [...plus, ...minus]);
      for (const key of new Set(accounts.flatMap(keysOf))) {
        const total = (at: number) =>
          groups.reduce((sum, { plus, minus }) => sum + amount(plus, key, at) - amount(minus, key, at), 0);
        found.set(
          key,
          times.map((at) => valueAt(total(at), at)),
        );
      }
    } else
      for (const { key: group, plus, minus } of groups) {
        const keys = new Set([...plus, ...minus].flatMap(keysOf));
        if (keys.size === 0 && (groups.length > 1 || typeof kind === "object")) continue;
        const values = times.map((at) => {
          if (typeof kind === "string") return valueAt(amount(plus, undefined, at) - amount(minus, undefined, at), at);
          const waits = [...keys].flatMap((slot) =>
            Array.from({ length: amount(plus, slot, at) - amount(minus, slot, at) }, () => Number(slot)),
          );
          waits.sort((a, b) => a - b);
          const middle = waits[Math.max(1, Math.ceil(waits.length * kind.quantile)) - 1];
          return middle === undefined ? null : valueAt(secondsOf(middle), at);
        });
        const isNothing = values.every((value) => value === null || value === 0);
        if (minus.length === 0 || !isNothing) found.set(group, values);
      }
    const size = (values: readonly (number | null)[]) => values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
    const lines = [...found].map(([key, values]) => ({ key, values }));
    lines.sort((a, b) => size(b.values) - size(a.values) || (a.key < b.key ? -1 : 1));
    return { stepMs, times, lines: lines.slice(0, linesMax), leftOut: Math.max(0, lines.length - linesMax) };
  }

  #sumsOf(name: LineName, account: string, from: number, lengthMs: number): Amounts {
    const asked = `${name} ${account} ${from} ${lengthMs}`;
    const known = this.#sums.get(asked);
    if (known !== undefined) return known;
    const minutes = this.#minutes.get(`${name} ${account}`);
    const sums = new Map<string, number>();
    for (let at = from; at < from + lengthMs; at += minute)
      for (const [key, value] of minutes?.get(at) ?? []) sums.set(key, (sums.get(key) ?? 0) + value);
    this.#sums.set(asked, sums);
    return sums;
  }
}
