import type { Failure, Mistake } from "../failure.ts";
import { type Paint, printable } from "../terminal.ts";
import { widthOf } from "./width.ts";

/** A failure as a person reads it: what happened, where, and what to do. */
export function failureText(failure: Failure, paint: Paint): string {
  const { message, hint, requestId, mistakes, lines } = failure;
  const [only] = mistakes;
  const tess = paint("red", "tess:");
  const shown: string[] = [];
  if (only !== undefined && mistakes.length === 1) {
    const place = placeText(only);
    shown.push(`${tess} ${place === "" ? "" : `${paint("bold", place)}  `}${printable(only.message)}`);
    shown.push(...remedies(only, paint).map((line) => `  ${line}`));
  } else {
    shown.push(`${tess} ${message.split("\n").map(printable).join("\n")}`);
    const width = Math.max(0, ...mistakes.map((each) => widthOf(placeText(each))));
    for (const each of mistakes.toSorted(byPlace)) shown.push(...mistakeLines(each, width, paint));
    shown.push(...lines.map((line) => `  ${printable(line)}`.trimEnd()));
    if (hint !== undefined && hint !== "" && mistakes.length === 0) shown.push(`  ${printable(hint)}`);
  }
  if (requestId !== undefined) shown.push(paint("dim", `  request ${requestId}`));
  return shown.map((line) => `${line}\n`).join("");
}

function byPlace(one: Mistake, other: Mistake): number {
  return (one.line ?? 0) - (other.line ?? 0) || (one.column ?? 0) - (other.column ?? 0);
}

function mistakeLines(mistake: Mistake, width: number, paint: Paint): string[] {
  const place = placeText(mistake);
  const margin = width === 0 ? "" : `${place}${" ".repeat(width - widthOf(place))}  `;
  const first = `  ${paint("bold", margin)}${printable(mistake.message)}`;
  return [first, ...remedies(mistake, paint).map((line) => `  ${" ".repeat(width === 0 ? 2 : width + 2)}${line}`)];
}

function remedies({ fix, example }: Mistake, paint: Paint): string[] {
  const shown = [];
  if (fix !== undefined && fix !== "") shown.push(printable(fix));
  // Where the fix already says it, it is not said again.
  if (example !== undefined && !fix?.includes(example)) shown.push(paint("green", printable(`such as ${example}`)));
  return shown;
}

/** `job.yaml:7:9`, or the flag. */
function placeText({ file, line, column, flag }: Mistake): string {
  if (file !== undefined) return printable(`${file}:${line}:${column}`);
  return flag ?? "";
}
