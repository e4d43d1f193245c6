import type { Page } from "playwright-core";

/** What of a page is wider than the screen, by its class. */
export function tooWide(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll(".page, .page *")]
      .filter(
        (each) =>
          each.getBoundingClientRect().right > innerWidth + 1 && !each.closest(".table-box, .tabs, .log, pre, canvas"),
      )
      .map((each) => `${each.tagName} ${each.className}`),
  );
}
