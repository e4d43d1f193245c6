import type { Job } from "@tessera/wire";
import { jobLook } from "../../design/chip.tsx";
import type { Hue } from "../../design/hues.ts";
import { meanings } from "../../design/meanings.ts";

/** How many elements of an array have the same state or outcome. */
export interface ElementCount {
  readonly word: string;
  readonly hue: Hue;
  readonly many: number;
}

const order = [...Object.keys(meanings.outcome), ...Object.keys(meanings.state)];

/** Outcomes first, then what has not ended, each in the order that it has everywhere. */
export function countsOf(elements: readonly Job[]): ElementCount[] {
  const looks = elements.map(jobLook);
  const words = [...new Set(looks.map(({ word }) => word))].sort((a, b) => order.indexOf(a) - order.indexOf(b));
  return words.map((word) => {
    const alike = looks.filter((look) => look.word === word);
    return { word, hue: alike[0]!.hue, many: alike.length };
  });
}

/** A row for each element, for a file. */
export function rowsOf(elements: readonly Job[]): Record<string, unknown>[] {
  return elements.map((element) => ({
    element: element.array?.index ?? "",
    job: element.id,
    state: jobLook(element).word,
    exitCode: element.exitCode ?? "",
    submittedAt: element.submittedAt,
    startedAt: element.startedAt ?? "",
    endedAt: element.endedAt ?? "",
  }));
}
