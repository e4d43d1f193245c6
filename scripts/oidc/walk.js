import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { openChromium } from "../../packages/web/dist/headless/chromium.js";
import { WatchedPage } from "../../packages/web/dist/headless/watched-page.js";
import { startDex } from "./dex.js";
import { dexBinary } from "./dex-binary.js";
import { startTessera } from "./tessera.js";

/**
 * `npm run walk:oidc [FOLDER]`: what docs/access.md tells of a provider, done with a real Dex, `tess` and a real browser.
 * Prints what the terminal shows; pictures in every look go to the folder.
 */
const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = process.argv[2] ?? join(root, "packages/web/shots");
const looks = [
  { name: "light", width: 1280, height: 800 },
  { name: "dark", width: 1280, height: 800, dark: true },
  { name: "phone", width: 390, height: 844 },
  { name: "phone-dark", width: 390, height: 844, dark: true },
];

const binary = dexBinary(root);
const browser = await openChromium();
if (binary === undefined || "missing" in browser)
  throw new Error(browser.missing ?? "there is no Go here to build Dex");
mkdirSync(folder, { recursive: true });
const tessera = await startTessera(root);
const dex = await startDex(binary, `${tessera.url}/sign-in/back/corp`);
try {
  writeFileSync(join(tessera.folder, "secret"), dex.secret);
  await asOwner("account create lab --guarantee H100:8");
  await asOwner(
    `provider add corp --issuer ${dex.issuer} --client-id tessera --client-secret-file secret --label "Example Corp" --scope groups --scope profile --scope email`,
  );
  await asOwner("provider preview corp --rule ml=member@lab --rule gpu-admins=platform-owner --group ml");
  await asOwner("provider add corp --rule ml=member@lab --rule gpu-admins=platform-owner");
  for (const look of looks) await signInWith(look);
  await device();
  await asOwner("provider get");
  await asOwner("provider describe corp");
  await asOwner("role get --user ana -o wide");
} finally {
  await browser.close();
  await dex.close();
  await tessera.close();
}

async function asOwner(line) {
  const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain);
  const { text, status } = await ended(tessera.owner(...words));
  console.log(`$ tess ${line}\n${text}`);
  if (status !== 0) throw new Error(`tess ${line} ended with ${status}`);
}

async function ended(run) {
  const status = await run.done;
  return { status, text: run.text };
}

/** Enters by the button of the provider, as a person does, and keeps what is seen on the way. */
async function signInWith(look) {
  const watched = await enter(look, "/", (page) => keep(page, "sign-in-provider", look));
  await watched.page.locator(".frame").waitFor();
  await watched.close();
  const owner = await WatchedPage.open(browser, tessera.url, look);
  await owner.signInWithToken(tessera.ownerToken);
  await owner.go("/settings");
  const card = owner.page.getByRole("heading", { name: "Signing in" });
  await card.scrollIntoViewIfNeeded();
  await keep(owner.page, "providers", look);
  await owner.close();
}

async function enter(look, path, onPage) {
  const watched = await WatchedPage.open(browser, tessera.url, look);
  const { page } = watched;
  await watched.go(path);
  const button = page.getByRole("button", { name: "Sign in with Example Corp" });
  await button.waitFor();
  await onPage?.(page);
  await button.click();
  await page.locator("input[name=login]").click();
  await page.keyboard.type(dex.fields.login);
  await page.locator("input[name=password]").click();
  await page.keyboard.type(dex.fields.password);
  await page.keyboard.press("Enter");
  return watched;
}

/** `tess login URL --device` in a terminal, allowed in the browser after signing in with the provider. */
async function device() {
  for (const look of looks) {
    const terminal = tessera.tess("login", tessera.url, "--device");
    while (!/compare the code/.test(terminal.text)) await sleep(100);
    const [, path] = /Open \S+?(\/sign-in\/tess\S+)/.exec(terminal.text);
    const { page, close } = await enter(look, path).then((watched) => ({
      page: watched.page,
      close: () => watched.close(),
    }));
    const allow = page.getByRole("button", { name: "Allow" });
    await allow.waitFor();
    await keep(page, "allow", look);
    await allow.click();
    await page.getByText("Go back to the terminal").waitFor();
    await keep(page, "allowed", look);
    const { status } = await ended(terminal);
    if (look === looks[0]) console.log(`$ tess login ${tessera.url} --device\n${terminal.text}`);
    if (status !== 0) throw new Error(terminal.text);
    await close();
  }
  console.log(`$ tess whoami\n${(await ended(tessera.tess("whoami"))).text}`);
}

async function keep(page, name, look) {
  await sleep(500);
  await page.screenshot({ path: join(folder, `${name}-${look.name}.png`) });
}
