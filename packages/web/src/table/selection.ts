import { useCallback, useMemo, useRef, useState } from "react";
import type { SteadyRow } from "./steady-rows.ts";

/** Rows that were chosen, by key, in the order in which they were. */
type Chosen<Item> = ReadonlyMap<string, { readonly item: Item; readonly isGone: boolean }>;

export interface Selection<Item> {
  readonly keys: ReadonlySet<string>;
  /** The chosen ones that are in the list, as they were last seen. */
  readonly items: readonly Item[];
  /** Chosen ones that have left the list: nothing is done with them. */
  readonly left: readonly Item[];
  /** Chooses a row or lets it go. */
  readonly toggle: (row: Row<Item>) => void;
  /** Chooses all rows from the last one that was chosen to this one, in the order in which they are shown. */
  readonly through: (key: string, shown: readonly Row<Item>[]) => void;
  /** Chooses these besides. */
  readonly add: (rows: readonly Row<Item>[]) => void;
  readonly clear: () => void;
  /** Told which rows are shown, so that it knows how the chosen ones are now. */
  readonly see: (rows: readonly SteadyRow<Item>[]) => void;
}

type Row<Item> = Pick<SteadyRow<Item>, "key" | "item">;

/** The rows between two, both included, in the order of the list. */
export function rowsBetween<Each extends { readonly key: string }>(
  rows: readonly Each[],
  from: string,
  to: string,
): readonly Each[] {
  const place = (wanted: string) => rows.findIndex(({ key }) => key === wanted);
  const [a, b] = [place(from), place(to)];
  return a < 0 || b < 0 ? rows.filter(({ key }) => key === to) : rows.slice(Math.min(a, b), Math.max(a, b) + 1);
}

/** The chosen rows as they are now; one that was shown before and is no more has left the list. */
export function seen<Item>(
  chosen: Chosen<Item>,
  before: readonly SteadyRow<Item>[],
  now: readonly SteadyRow<Item>[],
): Chosen<Item> {
  const rows = new Map(now.map((row) => [row.key, row]));
  const shownBefore = new Set(before.map(({ key }) => key));
  let isSame = true;
  const next = [...chosen].map(([key, was]) => {
    const row = rows.get(key) ?? { item: was.item, isGone: was.isGone || shownBefore.has(key) };
    if (row.item === was.item && row.isGone === was.isGone) return [key, was] as const;
    isSame = false;
    return [key, { item: row.item, isGone: row.isGone }] as const;
  });
  return isSame ? chosen : new Map(next);
}

/** Rows of a list that were chosen; of another list (`about`) none are. */
export function useSelection<Item>(about: string): Selection<Item> {
  const [state, setState] = useState<{ about: string; chosen: Chosen<Item> }>({ about, chosen: new Map() });
  if (state.about !== about) setState({ about, chosen: new Map() });
  const { chosen } = state;
  const [last, setLast] = useState<string>();
  const shown = useRef<readonly SteadyRow<Item>[]>([]);
  const change = useCallback((next: (chosen: Chosen<Item>) => Chosen<Item>) => {
    setState((before) => {
      const after = next(before.chosen);
      return after === before.chosen ? before : { ...before, chosen: after };
    });
  }, []);
  const add = useCallback(
    (rows: readonly Row<Item>[]) =>
      change((before) => {
        const fresh = rows.filter(({ key }) => !before.has(key));
        return new Map([...before, ...fresh.map(({ key, item }) => [key, { item, isGone: false }] as const)]);
      }),
    [change],
  );
  const toggle = useCallback(
    ({ key, item }: Row<Item>) => {
      change((before) => {
        const after = new Map(before);
        if (!after.delete(key)) after.set(key, { item, isGone: false });
        return after;
      });
      setLast(key);
    },
    [change],
  );
  const through = useCallback(
    (key: string, rows: readonly Row<Item>[]) => {
      add(rowsBetween(rows, last ?? key, key));
      setLast(key);
    },
    [add, last],
  );
  const clear = useCallback(() => change(() => new Map()), [change]);
  const see = useCallback(
    (rows: readonly SteadyRow<Item>[]) => {
      const before = shown.current;
      shown.current = rows;
      change((all) => seen(all, before, rows));
    },
    [change],
  );
  return useMemo(() => {
    const all = [...chosen.values()];
    return {
      keys: new Set(chosen.keys()),
      items: all.filter(({ isGone }) => !isGone).map(({ item }) => item),
      left: all.filter(({ isGone }) => isGone).map(({ item }) => item),
      ...{ toggle, through, add, clear, see },
    };
  }, [chosen, toggle, through, add, clear, see]);
}
