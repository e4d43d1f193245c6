import type { Page } from "playwright-core";

/** Words in tables that are broken into lines, and cells of which the end of their row cuts a line in half. */
export function cutInTables(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const brokenIn = (text: Text) =>
      [...text.data.matchAll(/[\p{L}\p{N}]+/gu)].flatMap(({ index, 0: word }) => {
        const range = document.createRange();
        range.setStart(text, index);
        range.setEnd(text, index + word.length);
        const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
        return lines.size > 1 ? [`${word} is broken`] : [];
      });
    const wordsIn = (cell: Element) => {
      const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
      const broken: string[] = [];
      while (texts.nextNode() !== null) broken.push(...brokenIn(texts.currentNode as Text));
      return broken;
    };
    const isCut = (cell: Element) => {
      const row = cell.closest("tr")!.getBoundingClientRect();
      const { top, bottom, height } = cell.getBoundingClientRect();
      return height > 0 && top < row.bottom - 1 && bottom > row.bottom + 1;
    };
    return [...document.querySelectorAll(".table :is(th, td)")].flatMap((cell) => [
      ...wordsIn(cell),
      ...(isCut(cell) ? [`${cell.textContent} is cut`] : []),
    ]);
  });
}
