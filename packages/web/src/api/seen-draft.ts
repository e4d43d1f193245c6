import { useDraft } from "./draft.ts";

/**
 * A draft of all that replaces a thing, with the revision of the thing that was seen when the typing began. Once others
 * have changed the thing since then it is stale: the form shows that first, and `goOn` takes what is there now as seen.
 */
export function useSeenDraft<Draft>(name: string, first: Draft, revision: string) {
  const [{ draft, seen }, keep, drop] = useDraft(name, { draft: first, seen: revision });
  return {
    ...{ draft, seen, isStale: seen !== revision, drop },
    type: (part: Partial<Draft>) => keep({ draft: { ...draft, ...part }, seen }),
    goOn: () => keep({ draft, seen: revision }),
  };
}

/**
 * What was typed over the fields of a thing that stay on the page: what was not typed follows the thing, also when others
 * change it. Stale is what was typed over fields as they were before such a change.
 */
export function useTyped<Fields extends object>(name: string, now: Fields, revision: string) {
  const first: { typed: Partial<Fields>; seen: string } = { typed: {}, seen: revision };
  const [{ typed, seen }, keep, drop] = useDraft(`${name}, typed`, first);
  const isTouched = Object.keys(typed).length > 0;
  return {
    ...{ typed, shown: { ...now, ...typed }, isTouched, seen, isStale: isTouched && seen !== revision },
    type: (part: Partial<Fields>) =>
      keep({ typed: typedOver(now, { ...typed, ...part }), seen: isTouched ? seen : revision }),
    goOn: () => keep({ typed, seen: revision }),
    undo: () => {
      keep(first);
      drop();
    },
  };
}

/** What is typed back to what it is, is not changed. */
function typedOver<Fields extends object>(now: Fields, typed: Partial<Fields>): Partial<Fields> {
  const left = { ...typed };
  for (const field of Object.keys(left) as (keyof Fields)[]) if (left[field] === now[field]) delete left[field];
  return left;
}
