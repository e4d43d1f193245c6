import { keep, readKept } from "../../api/kept.ts";

/** What was chosen in the palette before: where it leads, or what was typed for an action. */
export interface Recent {
  readonly label: string;
  readonly about: string;
  readonly href?: string;
  readonly text?: string;
}

const keptMax = 12;

function placeOf(user: string): string {
  return `tessera-recent ${user}`;
}

/** The last choices of this user in this browser, newest first. */
export function readRecent(user: string): readonly Recent[] {
  const kept = readKept(placeOf(user));
  return Array.isArray(kept) ? kept.filter(isRecent) : [];
}

/** Keeps a choice; one that was made before moves to the front. */
export function keepRecent(user: string, chosen: Recent): void {
  const others = readRecent(user).filter((each) => each.label !== chosen.label || each.about !== chosen.about);
  keep(placeOf(user), [chosen, ...others].slice(0, keptMax));
}

function isRecent(value: unknown): value is Recent {
  const { label, about, href = "/", text = "" } = (value ?? {}) as Record<string, unknown>;
  // A kept address leads inside the console, whatever the browser was told to keep.
  return [label, about, href, text].every((each) => typeof each === "string") && /^\/(?!\/)/.test(href as string);
}
