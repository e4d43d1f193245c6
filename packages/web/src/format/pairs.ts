/** `key=value` words with spaces or commas between, or the first word that is none. */
export function readPairs(text: string): { pairs: Record<string, string> } | { wrong: string } {
  const pairs: Record<string, string> = {};
  for (const word of text.split(/[\s,]+/).filter((each) => each !== "")) {
    const [, key, value] = /^([^=]+)=(.+)$/.exec(word) ?? [];
    if (key === undefined || value === undefined) return { wrong: `${word} is not KEY=VALUE, such as tier=gold.` };
    if (Object.hasOwn(pairs, key)) return { wrong: `${key} is given twice.` };
    pairs[key] = value;
  }
  return { pairs };
}

/** Pairs as they are typed. */
export function writePairs(pairs: Readonly<Record<string, string>>): string {
  return Object.entries(pairs)
    .map(([key, value]) => `${key}=${value}`)
    .join(" ");
}

/** Words with spaces or commas between. */
export function readWords(text: string): string[] {
  return text.split(/[\s,]+/).filter((word) => word !== "");
}
