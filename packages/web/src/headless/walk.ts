import type { Browser, Page } from "playwright-core";
import type { OwnServer } from "./server.ts";
import type { Things, Visit } from "./walk-places.ts";
import { type Look, WatchedPage } from "./watched-page.ts";

const rolesOfTenant = ["tenant-admin", "team-admin", "member", "viewer", "finance", "auditor"] as const;

/** Who walks: the seven roles, the two that hold for the whole platform, and a user without any. */
export const walkers = [
  ...["platform-owner", ...rolesOfTenant, "finance of all", "auditor of all", "no role"],
] as const;

/** For users who may read no job, each is one that does not exist. */
const seesNoJobs: ReadonlySet<string> = new Set(["finance", "finance of all", "no role"]);

/** What a person sees who may not see a page. Nothing leads to such a page, and nothing else is refused. */
const explained = /Not for your role[\s\S]*It needs/;

/** What a page says of a thing that is not there, or not for this person to see. */
const missing = /There is no |you may not see/;

/** A tenant with a team, a user of each role, prices, a budget, and jobs in every state that a page can show. */
export async function fillForWalk(server: OwnServer): Promise<{ things: Things; tokens: Record<string, string> }> {
  for (const [path, guarantee] of [
    ["acme", 6],
    ["acme/team", 4],
  ] as const)
    await server.call("createAccount", { body: { path, guarantee } });
  const any = { model: "*", reservedMicros: 2_000_000, burstMicros: 1_000_000 };
  await server.call("addPrices", { body: { id: "l1", currency: "EUR", from: new Date().toISOString(), gpus: [any] } });
  await server.call("setBudget", { at: { account: "acme" }, body: { limitMicros: "900000000", every: "month" } });
  const tokens: Record<string, string> = { "platform-owner": server.ownerToken };
  const add = async (walker: string, body: object) => {
    const user = await server.call("createUser", { body: { name: `the-${walker.replaceAll(" ", "-")}`, ...body } });
    tokens[walker] = (await server.call("createToken", { body: { user: user.id } })).token;
    return user.id;
  };
  const users: Record<string, string> = {};
  for (const role of rolesOfTenant)
    users[role] = await add(role, { role, account: role === "team-admin" ? "acme/team" : "acme" });
  for (const role of ["finance", "auditor"] as const) await add(`${role} of all`, { role });
  await add("no role", {});
  const submit = async (name: string, body: object) =>
    (await server.call("submitJob", { body: { name, project: "acme/team", gpus: 1, run: "sleep 3600", ...body } })).id;
  const never = { not_before: "2100-01-01T00:00:00Z" };
  const ended = await submit("ends", { run: "true" });
  const failed = await submit("ends", { run: "echo RuntimeError; exit 3" });
  for (const job of [ended, failed])
    while ((await server.call("getJob", { at: { job } })).state !== "ended")
      await new Promise((resolve) => setTimeout(resolve, 100));
  const held = await submit("is-held", never);
  await server.call("holdJob", { at: { job: held }, body: {} });
  const jobs = {
    ...{ ended, failed, held, runs: await submit("runs", {}), waits: await submit("waits", { gpus: 4, nodes: 2 }) },
    array: await submit("sweep", { array: "1-4%1", gpus: 0 }),
  };
  const { items } = await server.call("listNodes");
  return { things: { jobs, node: items[0]!.name, user: users.member!, at: new Date().toISOString() }, tokens };
}

interface Way {
  /** Goes from page to page as links do, without loading the console again. */
  readonly within?: boolean;
  readonly look?: Look;
  /** What is said of this walk besides who walks. */
  readonly label?: string;
  /** What else is wrong with a page. */
  readonly alsoWrong?: (page: Page) => Promise<readonly string[]>;
}

/** Visits addresses as one user; answers what a person would complain of. */
export async function walkAs(
  browser: Browser,
  server: OwnServer,
  walker: string,
  token: string,
  visits: readonly Visit[],
  { within = false, look = {}, label = "", alsoWrong }: Way = {},
): Promise<string[]> {
  const watched = await WatchedPage.open(browser, server.url, look);
  const { page } = watched;
  const found: string[] = [];
  let refused: { status: number; words: string }[] = [];
  page.on("response", async (answer) => {
    const status = answer.status();
    if (status < 400) return;
    const at = refused;
    const said = await answer.text().catch(() => "");
    at.push({ status, words: `${status} ${answer.url()} ${said}` });
  });
  await watched.signInWithToken(token);
  const linked = new Set<string>();
  const denied = new Set<string>();
  for (const { path, exists } of visits) {
    refused = [];
    watched.complaints.length = 0;
    const complain = (words: string) => found.push(`${walker}${label} ${path}: ${words.slice(0, 300)}`);
    if (within) await goWithin(page, path);
    else await page.goto(`${server.url}${path}`);
    await page
      .locator(".page h1, .page .empty")
      .first()
      .waitFor({ timeout: 15_000 })
      .catch(() => {});
    await page
      .waitForFunction(() => document.querySelector(".page .skeleton") === null, undefined, { timeout: 15_000 })
      .catch(() => complain("an endless skeleton"));
    await watched.answered();
    const text = await page.locator("main").innerText();
    if (text.trim().length < 12) complain("blank");
    if (/This page has a fault/.test(text)) complain(text);
    for (const link of await page.locator(".rail a, nav.tabs a").all()) linked.add((await link.getAttribute("href"))!);
    const isDenied = explained.test(text);
    if (isDenied) denied.add(path);
    const isHidden = seesNoJobs.has(walker) && /^\/(jobs\/|compare\?|new\?)/.test(path);
    for (const { status, words } of refused) {
      if (status === 403 && isDenied) continue;
      // What is outside of one's accounts is not found, and the page says so.
      if (status === 404 && (await saysMissing(page))) continue;
      // An unknown thing is not found; what does not go with its state, such as why an ended job waits, is refused.
      if (!(exists && !isHidden) && (status === 404 || status === 409 || status === 422)) continue;
      complain(words);
    }
    // A browser says of each answer beyond 400 that it failed; which of them matter was looked at above.
    for (const words of watched.complaints) if (!/Failed to load resource/.test(words)) complain(words);
    for (const words of (await alsoWrong?.(page)) ?? []) complain(words);
  }
  await watched.close();
  for (const path of denied) if (linked.has(path)) found.push(`${walker} ${path}: linked, but not for this role`);
  return found;
}

/** The answer may have come a moment before the page tells it. */
async function saysMissing(page: Page): Promise<boolean> {
  const told = page.locator("main").getByText(missing).first();
  return told.waitFor({ timeout: 2_000 }).then(
    () => true,
    () => false,
  );
}

/** Follows a link as the router does, until the page before is gone. */
async function goWithin(page: Page, path: string): Promise<void> {
  await page.evaluate((to) => {
    for (const before of document.querySelectorAll(".page")) before.setAttribute("data-before", "");
    history.pushState(null, "", to);
  }, path);
  // A list and a chosen one of it are one page, which stays.
  const isGone = () => document.querySelector(".page[data-before]") === null;
  await page.waitForFunction(isGone, undefined, { timeout: 2_000 }).catch(() => {});
}
