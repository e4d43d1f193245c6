import type { Locator, Page } from "playwright-core";

/** Clicks into a field, throws away what is in it, and types, key by key, as a person does. */
export async function typeInto(field: Locator, text: string): Promise<void> {
  await field.click();
  await field.page().keyboard.press("ControlOrMeta+a");
  await field.page().keyboard.press("Delete");
  await field.page().keyboard.type(text);
}

/** Where keys go now: the label or name of the focused element. */
export function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const at = document.activeElement;
    if (!(at instanceof HTMLElement)) return "";
    const label = at.id === "" ? null : document.querySelector(`label[for="${CSS.escape(at.id)}"]`);
    return label?.textContent ?? at.getAttribute("aria-label") ?? at.textContent ?? "";
  });
}
