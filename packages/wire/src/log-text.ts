/** A piece of a line of a log, in the way in which the program coloured it. */
export interface Piece {
  readonly text: string;
  /** `red bold`: names of classes. */
  readonly look: string;
}

const colours = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];
/** Control sequences: CSI ending in a letter, OSC ending in BEL or ST, and the short ones. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are what it looks for
const sequence = /\u001b(?:\[([0-9;:]*)[ -/]*([@-~])|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[ -/]*[0-~])/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: what is left of them is not shown
const control = /[\u0000-\u0008\u000b-\u001f\u007f]/g;

/** What a terminal would show of a line: colours as classes, and after a carriage return what was written over it. */
export function piecesOf(line: string): Piece[] {
  const pieces: Piece[] = [];
  const look = { colour: "", bold: false };
  const add = (text: string) => {
    const shown = text.replaceAll(control, "");
    if (shown !== "") pieces.push({ text: shown, look: [look.colour, look.bold && "bold"].filter(Boolean).join(" ") });
  };
  const last = overwritten(line);
  let at = 0;
  for (const match of last.matchAll(sequence)) {
    add(last.slice(at, match.index));
    at = match.index + match[0].length;
    if (match[2] === "m") takeCodes(look, match[1] ?? "");
  }
  add(last.slice(at));
  return pieces;
}

/** The same without colours, for the search. */
export function plainText(line: string): string {
  return overwritten(line).replaceAll(sequence, "").replaceAll(control, "");
}

/** A progress bar writes over its line again and again; what is left is what it wrote last. */
function overwritten(line: string): string {
  if (!line.includes("\r")) return line;
  return line.split("\r").findLast((part) => part !== "") ?? "";
}

function takeCodes(look: { colour: string; bold: boolean }, codes: string): void {
  const numbers = codes.split(/[;:]/).map(Number);
  for (let i = 0; i < numbers.length; i++) {
    const code = numbers[i]!;
    if (code === 0) Object.assign(look, { colour: "", bold: false });
    else if (code === 1) look.bold = true;
    else if (code === 22) look.bold = false;
    else if (code === 39) look.colour = "";
    else if (code >= 30 && code <= 37) look.colour = colours[code - 30]!;
    else if (code >= 90 && code <= 97) look.colour = colours[code - 90]!;
    else if (code === 38 || code === 48) i += numbers[i + 1] === 5 ? 2 : 4;
  }
}

const troubles =
  /\b(\w*error|\w*exception|traceback|fatal|panic|out of memory|oom|killed|segmentation fault|nccl warn)\b/i;

/** Whether a reader who looks for the cause of a failure would stop here. */
export function isTrouble({ text }: { readonly text: string }): boolean {
  return troubles.test(text);
}
