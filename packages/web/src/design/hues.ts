/** What is drawn over a filled area, so that it is told apart without its colour. */
export const patterns = ["plain", "rising", "falling", "dots", "level", "upright", "grid"] as const;
export type Pattern = (typeof patterns)[number];

/**
 * The colours of data: tokens of tokens.css, each with a value for light pages and one for dark ones. Okabe-Ito first,
 * then others that colour-blind readers tell apart from them; hues that are still near each other have other patterns.
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

/** As CSS writes it. */
export function colourOf(hue: Hue): string {
  return `var(--data-${hue})`;
}

export function patternOf(hue: Hue): Pattern {
  return patternOfHue[hue];
}
