import type { Job } from "@tessera/wire";

/** How far an array is. */
export function elementsText(elements: NonNullable<Job["elements"]>): string {
  const { size, waiting, active, succeeded, failed } = elements;
  const which = elements.failedIndexes === undefined ? "" : ` (${indexesText(elements.failedIndexes, failed)})`;
  return `${size} elements: ${waiting} waiting, ${active} active, ${succeeded} succeeded, ${failed} failed${which}`;
}

/** `2 of 8 did not succeed: 3, 7`; undefined where all succeeded, or it is not known which. */
export function failedText(elements: Job["elements"]): string | undefined {
  if (elements?.failedIndexes === undefined || elements.failed === 0) return undefined;
  const { size, failed, failedIndexes } = elements;
  return `${failed} of ${size} did not succeed: ${indexesText(failedIndexes, failed)}`;
}

const indexesShownMax = 20;

function indexesText(indexes: readonly number[], count: number): string {
  const shown = indexes.slice(0, indexesShownMax);
  return `${shown.join(", ")}${count > shown.length ? ` and ${count - shown.length} more` : ""}`;
}
