import type { Page } from "playwright-core";

/** What of a page cannot be seen without scrolling sideways: what is wider than the screen, current tabs, acts of rows. */
export function tooWide(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const isBeyond = (each: Element) => {
      const { left, right } = each.getBoundingClientRect();
      return right > innerWidth + 1 || left < -1;
    };
    const wide = [...document.querySelectorAll(".page, .page *")].filter(
      (each) =>
        each.getBoundingClientRect().right > innerWidth + 1 && !each.closest(".table-box, .tabs, .log, pre, canvas"),
    );
    const hidden = [...document.querySelectorAll(".tabs [aria-current], .table-box td :is(button, .button)")].filter(
      isBeyond,
    );
    return [...wide, ...hidden].map((each) => `${each.tagName} ${each.className} ${each.textContent?.slice(0, 40)}`);
  });
}
