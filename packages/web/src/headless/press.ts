import type { Browser, Locator, Page } from "playwright-core";
import type { OwnServer } from "./server.ts";
import { WatchedPage } from "./watched-page.ts";

export interface Pressed {
  readonly pressed: number;
  /** Buttons that are shown off and say why. */
  readonly off: number;
  readonly faults: readonly string[];
}

const settleMs = 400;
/** What an off button says when it is pressed. */
const reason = /Needs the role .*ask|You may act for/;
/** These end the session with which the rest is pressed. */
const endsSession = /sign out|end it|end all|log out/i;
let fresh = 0;

/**
 * Presses, as one user, every button that is on, through the dialog that asks, and tells which acts the server forbids
 * and which pages have a fault then. Presses those that are off too: they must say why.
 */
export async function pressAs(browser: Browser, server: OwnServer, walker: string, token: string): Promise<Pressed> {
  const watched = await WatchedPage.open(browser, server.url);
  const { page } = watched;
  const faults: string[] = [];
  // Members act on jobs of their own alone; what others may do with a job does not depend on whose it is.
  const who = walker === "member" ? token : undefined;
  let [pressed, off] = [0, 0];
  let refused: string[] = [];
  page.on("response", (answer) => {
    const method = answer.request().method();
    if (method !== "GET" && answer.status() === 403) refused.push(`${method} ${new URL(answer.url()).pathname}`);
  });
  await watched.signInWithToken(token);
  for (const place of places) {
    const done = new Set<string>();
    for (;;) {
      const path = await place(server, who);
      refused = [];
      watched.complaints.length = 0;
      await open(page, `${server.url}${path}`);
      const next = await nextButton(page, done);
      if (next === undefined) break;
      done.add(next.name);
      if (!(await ready(page, next.button))) continue;
      await next.button.click();
      await answerDialog(page);
      await page.waitForTimeout(settleMs);
      pressed++;
      if (refused.length > 0) faults.push(`${walker} ${path}: ${next.name} ended in 403: ${refused.join(", ")}`);
      if ((await page.getByText("This page has a fault").count()) > 0)
        faults.push(`${walker} ${path}: ${next.name} broke the page`);
      await closeDialogs(page);
      for (const words of watched.complaints)
        if (!/Failed to load resource/.test(words)) faults.push(`${walker} ${path}: ${next.name}: ${words}`);
    }
    const path = await place(server, who);
    await open(page, `${server.url}${path}`);
    for (const button of await page.locator("main .button[aria-disabled=true]").all()) {
      const name = await button.innerText();
      // By key: the driver clicks nothing that is off.
      await button.focus();
      await page.keyboard.press("Enter");
      const said = page.getByText(reason).last();
      off++;
      await said
        .waitFor({ timeout: 3_000 })
        .catch(() => faults.push(`${walker} ${path}: ${name} is off and says nothing`));
    }
  }
  await watched.close();
  return { pressed, off, faults };
}

/** A button that was not pressed yet; of those with the same words, one. */
async function nextButton(page: Page, done: ReadonlySet<string>) {
  const all = page.locator("main button:visible:not([aria-disabled=true])");
  const names = await all.evaluateAll((buttons) =>
    buttons.map((button) => {
      const words = (button.getAttribute("aria-label") ?? button.textContent ?? "").replace(
        /\d+|[a-z]+_[a-z0-9]+/g,
        "…",
      );
      return `${(button as HTMLElement).dataset.act ?? ""} ${words}`.trim();
    }),
  );
  const nth = names.findIndex((name) => !done.has(name) && !endsSession.test(name));
  return nth < 0 ? undefined : { button: all.nth(nth), name: names[nth]! };
}

/** With the token of the user who submits jobs there, if it is not the owner. */
type Place = (server: OwnServer, who: string | undefined) => Promise<string>;

/** The pages with buttons; each makes new things for every press. */
const places: readonly Place[] = [
  async (server, who) => `/jobs/${await freshJob(server, who)}`,
  async (server, who) => {
    await freshJob(server, who);
    return "/jobs";
  },
  async () => "/quota/acme",
  async () => "/quota/acme/team",
  async (server) => {
    await server.call("setBudget", { at: { account: "acme" }, body: { limitMicros: "900000000", every: "month" } });
    return "/cost/budgets";
  },
  async () => "/cost/invoices",
  async (server) => {
    const { items } = await server.call("listNodes");
    const node = items[0]!.name;
    await server.call("upNode", { at: { node }, body: {} });
    return `/nodes/${node}`;
  },
  async (server) => {
    const { items } = await server.call("listEngines");
    await server.call("upEngine", { at: { engine: items[0]!.name }, body: {} });
    return "/fleet/engines";
  },
  async (server) => `/people/${await freshUser(server, "viewer", "acme/team")}`,
  async (server) => `/people/${await freshUser(server, "tenant-admin", "acme")}`,
  async () => "/settings",
  async () => "/new",
  async () => "/queue",
  async () => "/fleet",
  async () => "/fleet/pools",
  async () => "/cost/ledger",
  async () => "/cost/contracts",
  async () => "/cost/close",
  async () => "/audit",
  async (server) => `/jobs/${await freshJob(server, undefined)}/spec`,
  async (server) =>
    `/jobs/${(await server.call("listJobs", { query: { state: "failed", limit: 1 } })).items[0]!.id}/logs`,
];

async function freshJob(server: OwnServer, who: string | undefined): Promise<string> {
  const body = { name: `w${++fresh}`, project: "acme/team", gpus: 1, run: "true", not_before: "2100-01-01T00:00:00Z" };
  return (await server.call("submitJob", { body, ...(who !== undefined && { token: who }) })).id;
}

async function freshUser(server: OwnServer, role: "viewer" | "tenant-admin", account: string): Promise<string> {
  const { id } = await server.call("createUser", { body: { name: `p${++fresh}`, role, account } });
  await server.call("createToken", { body: { user: id } });
  return id;
}

async function open(page: Page, url: string): Promise<void> {
  await page.goto(url);
  const shown = page.locator(".page h1, .page .empty").first();
  await shown.waitFor({ timeout: 15_000 }).catch(() => {});
  await page.waitForFunction(() => document.querySelector(".page .skeleton") === null).catch(() => {});
  await page.waitForTimeout(settleMs);
  // Chosen rows bring their own buttons.
  const row = page.locator("main input[type=checkbox][aria-label^='Choose']").first();
  if (await row.isVisible()) await row.click();
}

/** Fills in the form around a button that waits for one; whether it can be pressed then. */
async function ready(page: Page, button: Locator): Promise<boolean> {
  const form = button.locator("xpath=ancestor::form[1]");
  if ((await form.count()) > 0) {
    const secret = form.locator("input[type=password]").last();
    const first = (await secret.count()) > 0 ? secret : form.locator("input[type=text], input:not([type])").first();
    if ((await first.count()) > 0 && (await button.getAttribute("data-act")) !== "setPolicy") {
      await first.click();
      await page.keyboard.press("ControlOrMeta+a");
      await page.keyboard.type((await secret.count()) > 0 ? "correct horse battery" : String(1 + (fresh % 3)));
    }
  }
  await page.waitForTimeout(settleMs);
  for (let tries = 0; tries < 10 && (await button.isDisabled()); tries++) await page.waitForTimeout(settleMs);
  return !(await button.isDisabled());
}

/** A dialog that is left open is there again when the page is loaded. */
async function closeDialogs(page: Page): Promise<void> {
  const dialogs = page.locator("dialog[open]");
  for (let tries = 0; tries < 3 && (await dialogs.count()) > 0; tries++) {
    await page.keyboard.press("Escape");
    await page.waitForTimeout(settleMs);
  }
}

/** Goes through with what is asked. */
async function answerDialog(page: Page): Promise<void> {
  const dialog = page.locator("dialog[open]");
  await dialog.waitFor({ timeout: 1_500 }).catch(() => {});
  if ((await dialog.count()) === 0) return;
  for (const field of await dialog.locator("input[required]").all()) {
    await field.click();
    await page.keyboard.press("End");
    await page.keyboard.type(`x${++fresh}`);
  }
  const act = dialog.locator("footer .button, button[type=submit]").last();
  if ((await act.count()) > 0 && !(await act.isDisabled())) await act.click();
}
