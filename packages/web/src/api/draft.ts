import { useCallback, useState } from "react";
import { useMe } from "./me.tsx";

const prefix = "tessera-draft ";

/**
 * Text that is being written, kept in this tab until it is sent or thrown away: a session that ends, a reload or
 * another page do not lose it. Each user has drafts of their own. A dialog that the person closes drops its draft. Never for secrets.
 */
export function useDraft<Value>(name: string, first: Value): readonly [Value, (value: Value) => void, () => void] {
  const place = `${prefix}${useMe().user} ${name}`;
  const [value, setValue] = useState(() => read(place, first));
  const set = useCallback(
    (next: Value) => {
      setValue(next);
      keep(place, JSON.stringify(next));
    },
    [place],
  );
  const drop = useCallback(() => keep(place, undefined), [place]);
  return [value, set, drop];
}

/**
 * Which dialog of a page is open, by what it is about; kept as its draft is. A session that ends takes the dialog away,
 * and the page that is opened afterwards shows it again with what was typed.
 */
export function useOpen(dialog: string): readonly [string | undefined, (about: string | undefined) => void] {
  const [about, set] = useDraft<string | undefined>(`open ${dialog}`, undefined);
  return [about, set];
}

/** Of every user: the one who signs out leaves nothing behind. */
export function forgetDrafts(): void {
  try {
    for (const key of Object.keys(sessionStorage)) if (key.startsWith(prefix)) sessionStorage.removeItem(key);
  } catch {}
}

function read<Value>(place: string, first: Value): Value {
  try {
    const text = sessionStorage.getItem(place);
    return text === null ? first : (JSON.parse(text) as Value);
  } catch {
    return first;
  }
}

function keep(place: string, text: string | undefined): void {
  try {
    if (text === undefined) sessionStorage.removeItem(place);
    else sessionStorage.setItem(place, text);
  } catch {} // a browser that keeps nothing, or is full: the text is still on the page
}
