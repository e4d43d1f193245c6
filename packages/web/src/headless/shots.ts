import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { openChromium } from "./chromium.ts";
import { startDemo } from "./demo-fleet.ts";
import type { OwnServer } from "./server.ts";
import { WatchedPage } from "./watched-page.ts";

/** `npm run shots [FOLDER]`: a picture of every page, light and dark, desktop and phone, from a demo fleet of 50,000 GPUs. */
const folder = process.argv[2] ?? "packages/web/shots";
const looks = [
  { name: "light", width: 1280, height: 800 },
  { name: "dark", width: 1280, height: 800, dark: true },
  { name: "phone", width: 390, height: 844 },
  { name: "phone-dark", width: 390, height: 844, dark: true },
] as const;

async function pagesOf(server: OwnServer): Promise<Record<string, string>> {
  const { items: running } = await server.call("listJobs", { query: { state: "running", limit: 200 } });
  const { items: waiting } = await server.call("listJobs", { query: { state: "waiting", limit: 200 } });
  const gang = running.find(({ members }) => members.length >= 4) ?? running[0]!;
  const blocked = waiting.find(({ reason }) => reason?.kind === "capacity") ?? waiting[0];
  return {
    home: "/",
    fleet: "/fleet",
    "fleet-tenant": "/fleet?colour=tenant",
    "fleet-node": "/fleet?node=h100-0042",
    engines: "/fleet/engines",
    pools: "/fleet/pools",
    queue: "/queue",
    ...(blocked && { "queue-job": `/queue?job=${blocked.id}`, why: `/jobs/${blocked.id}/why` }),
    jobs: "/jobs",
    job: `/jobs/${gang.id}`,
    placement: `/jobs/${gang.id}/placement`,
    spec: `/jobs/${gang.id}/spec`,
    usage: `/jobs/${gang.id}/usage`,
    new: `/new?from=${gang.id}`,
    quota: "/quota",
    "quota-edit": "/quota/research",
    cost: "/cost",
    money: "/cost/money",
    budgets: "/cost/budgets",
    invoices: "/cost/invoices",
    invoice: `/invoices/research/${new Date().toISOString().slice(0, 7)}`,
    nodes: "/nodes",
    node: "/nodes/h100-0042",
    people: "/people",
    me: "/people/me",
    audit: "/audit",
    settings: "/settings",
  };
}

const settleMs = 800;

async function main(): Promise<void> {
  const browser = await openChromium();
  if ("missing" in browser) throw new Error(browser.missing);
  mkdirSync(folder, { recursive: true });
  const { server, userToken } = await startDemo();
  try {
    const pages = await pagesOf(server);
    for (const look of looks) await shoot(browser, server, look, pages, userToken);
  } finally {
    await browser.close();
    await server.end();
  }
}

async function shoot(
  browser: Browser,
  server: OwnServer,
  look: (typeof looks)[number],
  pages: Readonly<Record<string, string>>,
  userToken: string,
): Promise<void> {
  const save = async (watched: WatchedPage, name: string) => {
    await watched.page.locator("h1").first().waitFor();
    await watched.page.waitForTimeout(settleMs);
    await watched.page.waitForFunction(() => document.querySelector(".skeleton") === null);
    await watched.page.waitForTimeout(settleMs);
    await watched.page.screenshot({ path: join(folder, `${name}-${look.name}.png`) });
  };
  const owner = await WatchedPage.open(browser, server.url, look);
  await owner.go("/");
  await save(owner, "sign-in");
  await owner.signInWithToken(server.ownerToken);
  for (const [name, path] of Object.entries(pages)) {
    await owner.go(path);
    await save(owner, name);
  }
  await owner.close();
  const user = await WatchedPage.open(browser, server.url, look);
  await user.signInWithToken(userToken);
  await save(user, "home-user");
  await user.close();
  console.log(`${look.name}: ${Object.keys(pages).length + 2} pictures in ${folder}`);
}

await main();
