import { useCallback, useState } from "react";
import { useMe } from "./me.tsx";

const prefix = "tessera-draft ";
/** Begins the names under which open dialogs are kept. */
export const openPrefix = "open ";

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

/** Whether the user is writing something in this tab, beside what dialogs are open. */
export function hasDrafts(user: string): boolean {
  try {
    const own = Object.keys(sessionStorage).filter((key) => key.startsWith(`${prefix}${user} `));
    return own.some((key) => !key.startsWith(`${prefix}${user} ${openPrefix}`));
  } catch {
    return false;
  }
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
