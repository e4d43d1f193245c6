import stringWidth from "string-width";

/** Columns that a text takes on a terminal. */
export function widthOf(text: string): number {
  return stringWidth(text);
}

/** What a reader takes for one character, such as a flag or a letter with its accents. */
const characters = new Intl.Segmenter();

/** Cuts to `columns`, ending in … when something was lost. */
export function truncate(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let kept = "";
  let width = 0;
  for (const { segment } of characters.segment(text)) {
    width += widthOf(segment);
    if (width > columns - 1) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}

export function pad(text: string, columns: number, right = false): string {
  const space = " ".repeat(Math.max(0, columns - widthOf(text)));
  return right ? space + text : text + space;
}
