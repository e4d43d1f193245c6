import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Browser, Page } from "playwright-core";
import { openBusyDay, openWeeks, type Story, type Who } from "./busy-day.ts";
import { openChromium } from "./chromium.ts";
import { dayPictures, type LookName, looks, type Picture, weeksPictures } from "./pictures.ts";
import { WatchedPage } from "./watched-page.ts";

const usage = `npm run shots -- [FOLDER] [--day DIR] [--weeks DIR] [--only NAME,NAME] [--docs]
  Pictures of every page, light and dark, desktop and phone: from a simulated day of 50,000 GPUs, and money by day from
  five simulated weeks of 512 GPUs. Both are simulated first, which takes minutes.
  FOLDER   where they go; packages/web/shots without
  --day    a day that \`tess-sim day --data DIR\` has written
  --weeks  weeks that \`tess-sim day --days 35 --gpus 512 --data DIR\` has written
  --only   the pictures of these names
  --docs   also renews the pictures of README and docs`;

const heightMax = 3_000;
const settleMs = 800;

/** Pages of one look, a window for each role that is needed. */
class Camera {
  readonly #browser: Browser;
  readonly #story: Story;
  readonly #look: LookName;
  readonly #windows = new Map<Who, WatchedPage>();

  constructor(browser: Browser, story: Story, look: LookName) {
    this.#browser = browser;
    this.#story = story;
    this.#look = look;
  }

  /** As high as asked for, or the whole page. */
  async take({ path, as = "owner", before }: Picture, height: number | undefined): Promise<Buffer> {
    const watched = await this.#windowOf(as);
    const { page } = watched;
    const { width, height: usual } = looks[this.#look];
    await page.setViewportSize({ width, height: height ?? usual });
    await watched.go(path.replace(/:([a-z]+)/, (_, what: string) => this.#story.jobs[what] ?? what));
    await page.locator("h1").first().waitFor();
    await settled(page);
    const known = page.getByRole("button", { name: "It was me" });
    for (let left = await known.count(); left > 0; left--) await known.first().click();
    await before?.(page);
    if (height === undefined) {
      const whole = await page.evaluate(() => document.querySelector("main")?.scrollHeight ?? 0);
      await page.setViewportSize({ width, height: Math.min(heightMax, Math.max(usual, whole + 60)) });
    }
    await settled(page);
    return page.screenshot();
  }

  async #windowOf(who: Who): Promise<WatchedPage> {
    const known = this.#windows.get(who);
    if (known !== undefined) return known;
    const made = await WatchedPage.open(this.#browser, this.#story.server.url, looks[this.#look]);
    await made.signInWithToken(this.#story.tokens[who]);
    this.#windows.set(who, made);
    return made;
  }

  async close(): Promise<void> {
    for (const window of this.#windows.values()) await window.close();
  }
}

async function settled(page: Page): Promise<void> {
  await page.waitForTimeout(settleMs);
  await page.waitForFunction(() => document.querySelector(".skeleton") === null).catch(() => {});
  await page.waitForTimeout(settleMs);
}

/** The browser itself writes the small format that docs have. */
async function asWebp(page: Page, png: Buffer): Promise<Buffer> {
  const url = await page.evaluate(async (base64) => {
    const image = new Image();
    image.src = `data:image/png;base64,${base64}`;
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
    canvas.getContext("2d")!.drawImage(image, 0, 0);
    return canvas.toDataURL("image/webp", 0.82);
  }, png.toString("base64"));
  return Buffer.from(url.slice(url.indexOf(",") + 1), "base64");
}

interface Album {
  readonly folder: string;
  /** Also the pictures of README and docs. */
  readonly docs: boolean;
}

/** The pictures of one story in every look; one that fails is told, and the others are taken. */
async function takeAll(
  browser: Browser,
  story: Story,
  pictures: readonly Picture[],
  { folder, docs: isForDocs }: Album,
): Promise<void> {
  const blank = await (await browser.newContext()).newPage();
  for (const look of Object.keys(looks) as LookName[]) {
    const camera = new Camera(browser, story, look);
    for (const picture of pictures) {
      const { name, docs } = picture;
      try {
        writeFileSync(join(folder, `${name}-${look}.png`), await camera.take(picture, undefined));
        const height = docs?.[look];
        if (isForDocs && height !== undefined) {
          const file = look === "light" ? name : `${name}-${look}`;
          writeFileSync(`docs/pictures/${file}.webp`, await asWebp(blank, await camera.take(picture, height)));
        }
      } catch (error) {
        console.log(`${name}, ${look}: ${(error as Error).message.split("\n")[0]}`);
        process.exitCode = 1;
      }
    }
    await camera.close();
    console.log(`${look}: ${pictures.length} pictures in ${folder}`);
  }
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      day: { type: "string" },
      weeks: { type: "string" },
      only: { type: "string" },
      docs: { type: "boolean", default: false },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) {
    console.log(usage);
    return;
  }
  const folder = positionals[0] ?? "packages/web/shots";
  const only = values.only?.split(",");
  const browser = await openChromium();
  if ("missing" in browser) throw new Error(browser.missing);
  mkdirSync(folder, { recursive: true });
  try {
    for (const { pictures, open } of [
      { pictures: dayPictures, open: () => openBusyDay(values.day) },
      { pictures: weeksPictures, open: () => openWeeks(values.weeks) },
    ]) {
      const wanted = pictures.filter(({ name }) => only?.includes(name) ?? true);
      if (wanted.length === 0) continue;
      const story = await open();
      try {
        await takeAll(browser, story, wanted, { folder, docs: values.docs });
      } finally {
        await story.end();
      }
    }
  } finally {
    await browser.close();
  }
}

await main();
