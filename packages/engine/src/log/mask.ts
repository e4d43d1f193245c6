/** Shorter values would mask ordinary words, and can be guessed anyway. */
const secretLengthMin = 6;
const mask = "******";

/** Hides secret values in text that is about to be kept. */
export interface Masker {
  hide(text: string): string;
  /** The longest text that is hidden: a cut closer to the end than this could split a secret in two. */
  readonly longest: number;
}

/** A secret of several lines is hidden line by line, as that is how it would appear in a log. */
export function maskerOf(values: readonly string[]): Masker {
  const hidden = [...new Set(values.flatMap((value) => [value, ...value.split(/\r?\n/)]))]
    .filter((value) => value.length >= secretLengthMin)
    .sort((a, b) => b.length - a.length);
  return {
    hide: (text) => hidden.reduce((rest, value) => (rest.includes(value) ? rest.replaceAll(value, mask) : rest), text),
    longest: hidden[0]?.length ?? 0,
  };
}
