import { useCallback, useMemo, useState } from "react";

export interface Selection {
  readonly chosen: ReadonlySet<string>;
  /** Chooses a row or lets it go. */
  readonly toggle: (key: string) => void;
  /** Chooses all rows from the last one that was chosen to this one, in the order in which they are shown. */
  readonly through: (key: string, shown: readonly string[]) => void;
  readonly clear: () => void;
}

/** The keys between two rows, both included, in the order of the list. */
export function keysBetween(keys: readonly string[], from: string, to: string): readonly string[] {
  const [a, b] = [keys.indexOf(from), keys.indexOf(to)];
  return a < 0 || b < 0 ? [to] : keys.slice(Math.min(a, b), Math.max(a, b) + 1);
}

/** Rows that were chosen, by key: they stay chosen while the list changes, and leave with their row. */
export function useSelection(keys: readonly string[]): Selection {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [last, setLast] = useState<string>();
  const toggle = useCallback((key: string) => {
    setChosen((before) => {
      const next = new Set(before);
      if (!next.delete(key)) next.add(key);
      return next;
    });
    setLast(key);
  }, []);
  const through = useCallback(
    (key: string, shown: readonly string[]) => {
      setChosen((before) => new Set([...before, ...keysBetween(shown, last ?? key, key)]));
      setLast(key);
    },
    [last],
  );
  const clear = useCallback(() => setChosen(new Set()), []);
  const there = useMemo(() => {
    const shown = new Set(keys);
    return new Set([...chosen].filter((key) => shown.has(key)));
  }, [chosen, keys]);
  return { chosen: there, toggle, through, clear };
}
