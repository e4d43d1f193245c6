import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
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

/** Unpacked once for each version, beside the tools that the project fetches. */
async function fromNpm(): Promise<string | undefined> {
  if (process.platform !== "linux" || process.arch !== "x64") return undefined;
  const cache = fileURLToPath(new URL("../../../../.cache", import.meta.url));
  const folder = join(cache, `chromium-${shippedVersion()}`);
  if (!existsSync(folder)) await unpack(cache, folder);
  return join(folder, "chromium");
}

function shippedVersion(): string {
  const { resolve } = createRequire(import.meta.url);
  const manifest = join(dirname(resolve("@sparticuz/chromium")), "../../package.json");
  return (JSON.parse(readFileSync(manifest, "utf8")) as { version: string }).version;
}

/** The package writes to the temporary folder and takes what it finds there for whole, so each unpacking has its own and is moved when it is done. */
async function unpack(cache: string, folder: string): Promise<void> {
  await mkdir(cache, { recursive: true });
  const own = await mkdtemp(join(cache, "unpacking-"));
  const before = process.env.TMPDIR;
  try {
    process.env.TMPDIR = own;
    const { default: shipped } = await import("@sparticuz/chromium");
    await shipped.executablePath();
    await rename(own, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error; // else another program was faster
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    await rm(own, { recursive: true, force: true });
  }
}
