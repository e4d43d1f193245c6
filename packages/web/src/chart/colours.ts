/** Okabe-Ito, those first that are easiest to tell apart on both backgrounds. */
const palette = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8f7a00", "#6a51a3"];
/** Beyond the colours lines repeat them with other dashes: colour alone would not tell them apart. */
const dashes: readonly (readonly number[])[] = [[], [6, 3], [2, 3], [8, 3, 2, 3]];

/** What has a meaning has one colour in all charts, and on the map and in chips too. */
const meanings: Readonly<Record<string, string>> = {
  guaranteed: "#0072b2",
  burst: "#e69f00",
  borrowed: "#e69f00",
  reserved: "#56b4e9",
  idle: "#b8c0cc",
  down: "#cc3311",
  lent: "#56b4e9",
  used: "#0072b2",
  succeeded: "#009e73",
  failed: "#cc3311",
  cancelled: "#999999",
  "infra-failed": "#d55e00",
  preempted: "#e69f00",
  "timed-out": "#aa4499",
  node_lost: "#cc3311",
  node_fault: "#d55e00",
  moved: "#56b4e9",
  drain: "#999999",
  capacity: "#0072b2",
  shape: "#56b4e9",
  quota: "#e69f00",
  order: "#009e73",
  budget: "#cc3311",
  health: "#d55e00",
  isolation: "#aa4499",
  dependency: "#cc79a7",
  held: "#999999",
  "not-yet": "#b8c0cc",
  evicting: "#8f7a00",
};

/** What has a meaning stands in the order of this list, from the bottom of a stack up; the rest above it as it came. */
export function inOrder<Line extends { readonly key: string }>(lines: readonly Line[]): Line[] {
  const places = Object.keys(meanings);
  const placeOf = ({ key }: Line) => (key in meanings ? places.indexOf(key) : places.length);
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

/** What a line is coloured by: its meaning, else the name that people see, so that an account has one colour on all pages. */
export function colourName({ key, label }: { readonly key: string; readonly label: string }): string {
  return Object.hasOwn(meanings, key) ? key : label;
}

/** How each of these is drawn. */
export function strokesOf(keys: readonly string[]): Stroke[] {
  const taken = new Map<string, number>();
  return keys.map((key) => {
    let colour = meanings[key] ?? palette[hashOf(key) % palette.length]!;
    // Of two that share a colour in one chart, the second takes one that is free, and a dash when there is none.
    if (meanings[key] === undefined && taken.has(colour)) colour = palette.find((each) => !taken.has(each)) ?? colour;
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
