import { meanings } from "../design/meanings.ts";

/** Okabe-Ito, those first that are easiest to tell apart on both backgrounds. */
const palette = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8f7a00", "#6a51a3"];
/** What is not told apart any more. */
export const othersColour = "#8a94a3";
/** How many lines can have a colour of their own. */
export const coloursMax = palette.length;
/** Beyond the colours lines repeat them with other dashes: colour alone would not tell them apart. */
const dashes: readonly (readonly number[])[] = [[], [6, 3], [2, 3], [8, 3, 2, 3]];

/** Whether it is drawn in a colour that means the same in all charts. */
export function hasMeaning({ key }: { readonly key: string }): boolean {
  return Object.hasOwn(meanings, key);
}

/** What has a meaning stands in the order of this list, from the bottom of a stack up; the rest above it as it came. */
export function inOrder<Line extends { readonly key: string }>(lines: readonly Line[]): Line[] {
  const places = Object.keys(meanings);
  const placeOf = (line: Line) => (hasMeaning(line) ? places.indexOf(line.key) : places.length);
  return lines.toSorted((a, b) => placeOf(a) - placeOf(b));
}

export interface Stroke {
  readonly colour: string;
  readonly dash: readonly number[];
}

/** How the line of this place is drawn. */
export function strokeOf(place: number): Stroke {
  const round = Math.floor(place / palette.length);
  return { colour: palette[place % palette.length]!, dash: dashes[round % dashes.length]! };
}

interface Named {
  readonly key: string;
  readonly label: string;
}

/**
 * How each of these is drawn: by its meaning, else by the name that people see, so that an account has one colour on all
 * pages. A name is never taken for a meaning: there may be an account `idle`.
 */
export function strokesOf(lines: readonly Named[]): Stroke[] {
  const taken = new Map<string, number>();
  return lines.map((line) => {
    const isNamed = !hasMeaning(line);
    let colour = isNamed ? palette[hashOf(line.label) % palette.length]! : meanings[line.key]!;
    // Of two that share a colour in one chart, the second takes one that is free, and a dash when there is none.
    if (isNamed && taken.has(colour)) colour = palette.find((each) => !taken.has(each)) ?? colour;
    const round = taken.get(colour) ?? 0;
    taken.set(colour, round + 1);
    return { colour, dash: dashes[round % dashes.length]! };
  });
}

function hashOf(text: string): number {
  let hash = 7;
  for (let i = 0; i < text.length; i++) hash = (hash * 31 + text.charCodeAt(i)) % 2_147_483_647;
  return hash;
}
