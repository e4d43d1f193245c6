import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

/** Paths of browsers that were installed by hand. */
const installed = [
  "/usr/bin/chromium",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];
const args = ["--no-sandbox", "--disable-dev-shm-usage", "--force-color-profile=srgb"];

/** A real Chromium: the one that npm brought, else an installed one. Undefined, with the reason, where neither starts. */
export async function openChromium(): Promise<Browser | { readonly missing: string }> {
  const reasons: string[] = [];
  for (const find of [fromNpm, async () => installed.find((path) => existsSync(path))]) {
    try {
      const executablePath = await find();
      if (executablePath !== undefined) return await chromium.launch({ executablePath, args, headless: true });
    } catch (error) {
      reasons.push((error as Error).message.split("\n")[0]!);
    }
  }
  return { missing: `no Chromium starts here (${reasons.join("; ") || "none is installed"})` };
}

async function fromNpm(): Promise<string | undefined> {
  if (process.platform !== "linux" || process.arch !== "x64") return undefined;
  const { default: shipped } = await import("@sparticuz/chromium");
  return shipped.executablePath();
}
