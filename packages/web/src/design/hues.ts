/** Patterns on filled areas, which tell them apart without colour. */
export const patterns = ["plain", "rising", "falling", "dots", "level", "upright", "grid"] as const;
export type Pattern = (typeof patterns)[number];

/**
 * The colours of data, tokens of tokens.css with a value for light and one for dark pages. Okabe-Ito first, then others
 * that colour-blind readers can tell apart. Similar hues have different patterns.
 */
const patternOfHue = {
  blue: "plain",
  orange: "rising",
  green: "dots",
  sky: "dots",
  vermilion: "falling",
  pink: "grid",
  olive: "upright",
  violet: "level",
  brown: "level",
  teal: "rising",
  red: "grid",
  grey: "plain",
  slate: "falling",
  ink: "upright",
} as const satisfies Record<string, Pattern>;
export type Hue = keyof typeof patternOfHue;
export const hues = Object.keys(patternOfHue) as Hue[];

/** The hue as a CSS colour. */
export function colourOf(hue: Hue): string {
  return `var(--data-${hue})`;
}

export function patternOf(hue: Hue): Pattern {
  return patternOfHue[hue];
}
