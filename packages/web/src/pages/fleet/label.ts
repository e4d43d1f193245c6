/** The longest end of a name that fits, behind a mark that it is one: it says more than the beginning. */
export function shortened(name: string, fits: (text: string) => boolean): string {
  if (fits(name)) return name;
  for (let from = 1; from < name.length; from++) {
    const text = `…${name.slice(from)}`;
    if (fits(text)) return text;
  }
  return "";
}
