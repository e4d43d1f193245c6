/** One word that a POSIX shell reads back as the same word. */
export function quoteWord(word: string): string {
  if (/^[A-Za-z0-9_@%+:,./-]+$/.test(word)) return word;
  return word === "" ? "''" : `'${word.replaceAll("'", `'"'"'`)}'`;
}
