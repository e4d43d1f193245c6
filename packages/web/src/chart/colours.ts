import type { SeriesGroup, SeriesMetric } from "@tessera/wire";
import { formerKey } from "@tessera/wire/others";
import { colourOf, type Hue, type Pattern, patternOf, patterns } from "../design/hues.ts";
import { type Family, hueOf, meanings } from "../design/meanings.ts";

/** How a line or an area is drawn. Dash and pattern tell it apart without its colour. */
export interface Look {
  /** As CSS writes it. */
  readonly colour: string;
  readonly dash: readonly number[];
  readonly pattern: Pattern;
}

/** For lines without a meaning, such as accounts. Red and greys are left out: they would suggest one. */
const palette = [
  ...(["blue", "orange", "green", "pink", "sky", "vermilion", "olive", "violet", "brown", "teal"] as const),
] satisfies Hue[];
const dashes: readonly (readonly number[])[] = [[], [6, 3], [2, 3], [8, 3, 2, 3]];
/** Degrees between successive hues beyond the palette. The golden angle keeps dozens of them apart. */
const hueStep = 137.5;
/** For light and for dark cards, with 3:1 against each. */
const lightness = [
  [0.45, 0.72],
  [0.6, 0.86],
] as const;

export function lookOfHue(hue: Hue, dash: readonly number[] = []): Look {
  return { colour: colourOf(hue), dash, pattern: patternOf(hue) };
}

/** The sum of all lines that are not shown one by one. */
export const othersLook = lookOfHue("grey");

/** The period before, and other lines behind. */
export const ghostLook: Look = { colour: "var(--quiet)", dash: [3, 3], pattern: "plain" };

/** The look of the n-th account or rank. No two are alike, and neighbours differ most. */
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

/** The hue of a line with a fixed meaning; undefined for a line that stands for a name. */
export function meantHue({ metric, by, key }: Meant): Hue | undefined {
  const family = familyOf({ metric, by });
  return family && hueOf(family, family === "metric" ? metric : key);
}

/** Sorts lines with a meaning by their family, from the bottom of a stack up. Others follow in the order given. */
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

/** The place of each account in the list of all that the reader sees. It does not depend on what a chart shows. */
export type Places = ReadonlyMap<string, number>;

/** Tenants first, then teams, then deeper levels, each by name. */
export function placesOf(paths: readonly string[]): Places {
  const depthOf = (path: string) => path.split("/").length;
  const ordered = paths.toSorted((a, b) => depthOf(a) - depthOf(b) || (a < b ? -1 : 1));
  return new Map(ordered.map((path, place) => [path, place]));
}

/** The look of an account, the same on all pages. Lines of no known account, such as `lab itself`, are neutral. */
export function lookOfAccount(path: string, places: Places): Look {
  const place = places.get(path);
  return place === undefined ? lookOfHue("slate") : lookOfPlace(place);
}

/** Looks for names without a full list, such as users: by hash. On a collision the first name in order keeps the colour. */
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

/** The look of each line, by its meaning, account, number or name. Accounts count as names while places are unknown. */
export function looksOf(lines: readonly Named[], places: Places | undefined): (Look & { readonly isMeant: boolean })[] {
  const own = lines.map((line) => ownLook(line, places));
  const names = looksOfNames(lines.flatMap(({ label }, no) => (own[no] === undefined ? label : [])));
  const taken = new Map<string, number>();
  return lines.map((line, no) => {
    const look = own[no] ?? names.get(line.label)!;
    // Two lines can share a meaning: the limit of a model and that of all models. The second is dashed.
    const before = taken.get(look.colour) ?? 0;
    taken.set(look.colour, before + 1);
    const dash = before === 0 ? look.dash : dashes[before % dashes.length]!;
    return { ...look, dash, isMeant: meantHue(line) !== undefined };
  });
}

/** A look that does not depend on the other lines; undefined if the name decides. */
function ownLook(line: Named, places: Places | undefined): Look | undefined {
  const hue = meantHue(line);
  if (hue !== undefined) return lookOfHue(hue);
  if (line.key === formerKey) return lookOfHue("ink");
  if ((line.by === "account" || line.by === "team") && places !== undefined) return lookOfAccount(line.label, places);
  // Ranks, and GPUs of a node, have numbers.
  if ((line.by === "rank" || line.by === "gpu") && /^\d+$/.test(line.key)) return lookOfPlace(Number(line.key));
  return undefined;
}
