import type { SeriesGroup, SeriesMetric } from "@tessera/wire";
import { formerKey } from "@tessera/wire/others";
import { colourOf, type Hue, type Pattern, patternOf, patterns } from "../design/hues.ts";
import { type Family, hueOf, meanings } from "../design/meanings.ts";

/** How a line is drawn, or an area: told apart by colour, and by dash or pattern too. */
export interface Look {
  /** As CSS writes it. */
  readonly colour: string;
  readonly dash: readonly number[];
  readonly pattern: Pattern;
}

/** What has no meaning of its own, such as an account, has one of these; red and greys would say something. */
const palette = [
  ...(["blue", "orange", "green", "pink", "sky", "vermilion", "olive", "violet", "brown", "teal"] as const),
] satisfies Hue[];
const dashes: readonly (readonly number[])[] = [[], [6, 3], [2, 3], [8, 3, 2, 3]];
/** Degrees between the hues that follow each other beyond the palette: no two of the first dozens look alike. */
const hueStep = 137.5;
/** On light and on dark cards; marks stand out from both. */
const lightness = [
  [0.45, 0.72],
  [0.6, 0.86],
] as const;

export function lookOfHue(hue: Hue, dash: readonly number[] = []): Look {
  return { colour: colourOf(hue), dash, pattern: patternOf(hue) };
}

/** What is not told apart any more. */
export const othersLook = lookOfHue("grey");

/** The period before, and other lines behind. */
export const ghostLook: Look = { colour: "var(--quiet)", dash: [3, 3], pattern: "plain" };

/** The look of a place, such as that of an account among all: no two are alike, and neighbours least of all. */
export function lookOfPlace(place: number): Look {
  const hue = palette[place];
  if (hue !== undefined) return lookOfHue(hue);
  const degrees = Math.round(place * hueStep) % 360;
  const [onLight, onDark] = lightness[place % lightness.length]!;
  return {
    colour: `light-dark(oklch(${onLight} 0.12 ${degrees}), oklch(${onDark} 0.12 ${degrees}))`,
    dash: dashes[place % dashes.length]!,
    pattern: patterns[place % patterns.length]!,
  };
}

interface Meant {
  readonly metric: SeriesMetric;
  readonly by: SeriesGroup;
  readonly key: string;
}

function familyOf({ metric, by }: Pick<Meant, "metric" | "by">): Family | undefined {
  if (by === "none") return "metric";
  if (by === "class") return metric === "spend" ? "charge" : "class";
  return by === "outcome" || by === "cause" || by === "reason" || by === "level" ? by : undefined;
}

/** The hue of what means the same in all charts; undefined where a line stands for a name. */
export function meantHue({ metric, by, key }: Meant): Hue | undefined {
  const family = familyOf({ metric, by });
  return family && hueOf(family, family === "metric" ? metric : key);
}

/** What has a meaning stands in the order of its family, from the bottom of a stack up; the rest above it as it came. */
export function inOrder<Line extends { readonly key: string }>(
  lines: readonly Line[],
  of: Pick<Meant, "metric" | "by">,
): Line[] {
  const family = familyOf(of);
  if (family === undefined) return [...lines];
  const places = Object.keys(meanings[family]);
  const placeOf = ({ key }: Line) => (places.includes(key) ? places.indexOf(key) : places.length);
  return lines.toSorted((a, b) => placeOf(a) - placeOf(b));
}

/** The place of each account among all that a person sees: what a chart shows does not change it. */
export type Places = ReadonlyMap<string, number>;

/** Tenants first, then teams, then what is below these; each in the order of names. */
export function placesOf(paths: readonly string[]): Places {
  const depthOf = (path: string) => path.split("/").length;
  const ordered = paths.toSorted((a, b) => depthOf(a) - depthOf(b) || (a < b ? -1 : 1));
  return new Map(ordered.map((path, place) => [path, place]));
}

/** An account looks alike on all pages; what is in none of them, such as what an account has itself, is neutral. */
export function lookOfAccount(path: string, places: Places): Look {
  const place = places.get(path);
  return place === undefined ? lookOfHue("slate") : lookOfPlace(place);
}

/**
 * Names of which there is no list, such as users: each prefers the colour that its name decides, and where two prefer
 * one, the first by name has it.
 */
export function looksOfNames(names: readonly string[]): ReadonlyMap<string, Look> {
  const taken = new Set<number>();
  const looks = new Map<string, Look>();
  for (const name of [...new Set(names)].sort()) {
    let place = hashOf(name) % palette.length;
    for (let tries = 0; taken.has(place) && tries < palette.length; tries++) place = (place + 1) % palette.length;
    if (taken.has(place)) place = taken.size;
    taken.add(place);
    looks.set(name, lookOfPlace(place));
  }
  return looks;
}

function hashOf(text: string): number {
  let hash = 7;
  for (let i = 0; i < text.length; i++) hash = (hash * 31 + text.charCodeAt(i)) % 2_147_483_647;
  return hash;
}

interface Named extends Meant {
  readonly label: string;
}

/** How each of these lines is drawn: by its meaning, its account, its number or its name. Without places names decide. */
export function looksOf(lines: readonly Named[], places: Places | undefined): (Look & { readonly isMeant: boolean })[] {
  const own = lines.map((line) => ownLook(line, places));
  const names = looksOfNames(lines.flatMap(({ label }, no) => (own[no] === undefined ? label : [])));
  const taken = new Map<string, number>();
  return lines.map((line, no) => {
    const look = own[no] ?? names.get(line.label)!;
    // Of two lines with one meaning, such as the limits of a model and of all models, the second is dashed.
    const before = taken.get(look.colour) ?? 0;
    taken.set(look.colour, before + 1);
    const dash = before === 0 ? look.dash : dashes[before % dashes.length]!;
    return { ...look, dash, isMeant: meantHue(line) !== undefined };
  });
}

/** The look that a line has whatever else is shown; undefined where its name decides. */
function ownLook(line: Named, places: Places | undefined): Look | undefined {
  const hue = meantHue(line);
  if (hue !== undefined) return lookOfHue(hue);
  if (line.key === formerKey) return lookOfHue("ink");
  if ((line.by === "account" || line.by === "team") && places !== undefined) return lookOfAccount(line.label, places);
  // Ranks, and GPUs of a node, have numbers.
  if ((line.by === "rank" || line.by === "gpu") && /^\d+$/.test(line.key)) return lookOfPlace(Number(line.key));
  return undefined;
}
