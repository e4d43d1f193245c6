import type { Page } from "playwright-core";

/** Uses a page by the keyboard alone. What is on the page is only read. */
export class Keys {
  readonly #page: Page;
  pressed = 0;

  constructor(page: Page) {
    this.#page = page;
  }

  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      await this.#page.keyboard.press(key);
      this.pressed++;
    }
  }

  async type(text: string): Promise<void> {
    await this.#page.keyboard.type(text);
    this.pressed += text.length;
  }

  /** Goes from control to control until one has this name; with `back`, the other way. */
  async tabTo(name: RegExp, back = false): Promise<void> {
    const seen: string[] = [];
    for (let i = 0; i < tabsMax; i++) {
      await this.press(back ? "Shift+Tab" : "Tab");
      const at = await this.#page.evaluate(nameOfFocused);
      if (name.test(at)) return;
      seen.push(at);
    }
    throw new Error(`no control ${name} among: ${[...new Set(seen)].join(" | ")}`);
  }

  /** Opens a page by its two keys, and waits for its heading. */
  async open(letter: string, heading: string): Promise<void> {
    await this.press("g", letter);
    await this.#page.getByRole("heading", { name: heading, level: 1 }).waitFor();
  }
}

const tabsMax = 150;

/** The name of what has the focus, also inside the editor's own root. */
function nameOfFocused(): string {
  const at = document.activeElement?.shadowRoot?.activeElement ?? document.activeElement;
  if (!(at instanceof HTMLElement)) return "";
  const label = at.id === "" ? null : document.querySelector(`label[for="${CSS.escape(at.id)}"]`);
  return (
    at.getAttribute("aria-label") ??
    label?.textContent ??
    at.closest("label")?.textContent ??
    at.innerText
  ).trim();
}
