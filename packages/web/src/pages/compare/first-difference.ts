import type { LogEntry } from "@tessera/wire";
import { plainText } from "@tessera/wire/log-text";

/** Where two logs part: the last lines that both have, and what each goes on with. */
export interface LogDifference {
  /** How many lines both have at first. */
  readonly same: number;
  readonly before: readonly string[];
  readonly a: readonly string[];
  readonly b: readonly string[];
}

const shownBefore = 3;
const shownAfter = 8;

/** What is different in every run: instants, spans of time, addresses in memory, process ids. */
const ofOneRun = [
  /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?/g,
  /\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b/g,
  /\b0x[0-9a-f]+\b/gi,
  /\bpid[ =:]*\d+\b/gi,
  /\bjob_[a-z0-9]+\b/g,
  /\b\d+(?:\.\d+)? ?(?:ms|s|sec|seconds|it\/s|s\/it)\b/g,
];

/** The first lines in which two logs say something else; undefined where they do not, as far as they were read. */
export function firstDifference(a: readonly LogEntry[], b: readonly LogEntry[]): LogDifference | undefined {
  const most = Math.max(a.length, b.length);
  for (let at = 0; at < most; at++) {
    if (a[at] !== undefined && b[at] !== undefined && gist(a[at]!.text) === gist(b[at]!.text)) continue;
    const textsOf = (lines: readonly LogEntry[], from: number, to: number) =>
      lines.slice(Math.max(0, from), to).map(({ text }) => plainText(text));
    return {
      same: at,
      before: textsOf(a, at - shownBefore, at),
      a: textsOf(a, at, at + shownAfter),
      b: textsOf(b, at, at + shownAfter),
    };
  }
  return undefined;
}

function gist(text: string): string {
  return ofOneRun.reduce((rest, pattern) => rest.replaceAll(pattern, "*"), plainText(text)).trimEnd();
}
