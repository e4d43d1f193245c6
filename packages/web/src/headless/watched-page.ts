import type { Browser, BrowserContext, Page, Request } from "playwright-core";
import { typeInto } from "./typing.ts";

export interface Look {
  readonly width?: number;
  readonly height?: number;
  readonly dark?: boolean;
  readonly locale?: string;
  readonly timezoneId?: string;
}

/** A page of its own browser profile that records console errors and all answers. */
export class WatchedPage {
  readonly page: Page;
  readonly #context: BrowserContext;
  readonly #base: string;
  readonly complaints: string[] = [];
  readonly #answers: Promise<string>[] = [];
  readonly #asked = new Set<Request>();

  private constructor(context: BrowserContext, page: Page, base: string) {
    this.#context = context;
    this.page = page;
    this.#base = base;
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") this.complaints.push(message.text());
    });
    page.on("pageerror", (error) => this.complaints.push(error.message));
    page.on("request", (request) => {
      // The browser reports no end of a worker's file.
      if (request.resourceType() === "fetch") this.#asked.add(request);
    });
    page.on("requestfinished", (request) => this.#asked.delete(request));
    page.on("requestfailed", (request) => this.#asked.delete(request));
    page.on("response", (response) => {
      // A stream has no body before it ends; its messages are on the page.
      if (response.headers()["content-type"]?.startsWith("application/json"))
        this.#answers.push(response.text().catch(() => ""));
    });
  }

  static async open(browser: Browser, base: string, look: Look = {}): Promise<WatchedPage> {
    const { width = 1280, height = 800, dark = false, locale = "en-US", timezoneId } = look;
    const context = await browser.newContext({
      viewport: { width, height },
      colorScheme: dark ? "dark" : "light",
      reducedMotion: "reduce",
      // Without one the browser has the name of a locale of this machine, which is no language tag.
      locale,
      ...(timezoneId !== undefined && { timezoneId }),
    });
    context.setDefaultTimeout(60_000);
    return new WatchedPage(context, await context.newPage(), base);
  }

  go(path: string): Promise<unknown> {
    return this.page.goto(`${this.#base}${path}`);
  }

  /** Until all that the page has asked for is there, and what it asks for next. */
  async answered(): Promise<void> {
    for (let quiet = 0; quiet < 3; quiet = this.#asked.size === 0 ? quiet + 1 : 0) await this.page.waitForTimeout(30);
  }

  async signInWithToken(token: string): Promise<void> {
    await this.go("/");
    await this.page.getByRole("button", { name: "Use a token" }).click();
    await typeInto(this.page.getByLabel("Token"), token);
    await this.page.getByRole("button", { name: "Sign in", exact: true }).click();
    await this.page.locator(".frame").waitFor();
  }

  async signIn(name: string, password: string): Promise<void> {
    await this.go("/");
    await typeInto(this.page.getByLabel("Name"), name);
    await typeInto(this.page.getByLabel("Password"), password);
    await this.page.getByRole("button", { name: "Sign in", exact: true }).click();
    await this.page.locator(".frame").waitFor();
  }

  /** Everything that was answered and everything that is on the page now. */
  async everything(): Promise<string> {
    return `${(await Promise.all(this.#answers)).join("\n")}\n${await this.page.content()}`;
  }

  close(): Promise<void> {
    return this.#context.close();
  }
}
