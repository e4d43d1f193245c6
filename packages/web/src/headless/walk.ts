import type { Browser } from "playwright-core";
import type { OwnServer } from "./server.ts";
import { WatchedPage } from "./watched-page.ts";

export const roles = [
  ...["platform-owner", "tenant-admin", "team-admin", "member", "viewer", "finance", "auditor"],
] as const;

/** What a person sees who may not see a page. Nothing leads to such a page, and nothing else is refused. */
const explained = /Not for your role[\s\S]*It needs/;

/** Every address of the console, with things that exist and things that do not. */
export function addressesOf({ job, node, user }: Things): string[] {
  const real = [
    ...["/", "/queue", "/jobs", `/jobs/${job}`],
    ...["logs", "why", "placement", "activity", "usage", "spec", "events"].map((tab) => `/jobs/${job}/${tab}`),
    ...["/new", `/new?from=${job}`, "/fleet", "/fleet?colour=tenant", "/fleet/engines", "/fleet/pools"],
    ...["/quota", "/quota/acme", "/quota/acme/team", "/cost", "/cost?by=job&range=30d", "/cost/waste", "/cost/money"],
    ...[
      "/cost/budgets",
      "/cost/invoices",
      "/cost/ledger",
      "/cost/contracts",
      "/cost/close",
      "/fleet/what-if",
      "/invoices/acme/open",
      "/nodes",
      `/nodes/${node}`,
    ],
    ...["/people", `/people/${user}`, "/people/me", "/audit", "/audit?action=user.create", "/settings"],
  ];
  const unreal = ["/nothing", "/jobs/job_none", "/new?from=none", "/quota/none", "/nodes/none", "/people/none"];
  return [...real, ...unreal, "/invoices/none/open", "/sign-in"];
}

export interface Things {
  readonly job: string;
  readonly node: string;
  readonly user: string;
}

/** A tenant with a team, a user of each role, prices, a budget and a job that runs. */
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
  let user = "";
  for (const role of roles) {
    if (role === "platform-owner") continue;
    const account = role === "team-admin" ? "acme/team" : "acme";
    const made = await server.call("createUser", { body: { name: `the-${role}`, role: role as "member", account } });
    tokens[role] = (await server.call("createToken", { body: { user: made.id } })).token;
    if (role === "member") user = made.id;
  }
  const body = { name: "runs", project: "acme/team", gpus: 1, run: "sleep 3600" };
  const { id: job } = await server.call("submitJob", { body });
  const { items } = await server.call("listNodes");
  return { things: { job, node: items[0]!.name, user }, tokens };
}

/** Visits addresses as one role; answers what a person would complain of. */
export async function walkAs(
  browser: Browser,
  server: OwnServer,
  role: string,
  token: string,
  paths: readonly string[],
): Promise<string[]> {
  const watched = await WatchedPage.open(browser, server.url);
  const { page } = watched;
  const found: string[] = [];
  let refused: string[] = [];
  page.on("response", async (answer) => {
    if (answer.status() !== 403 && answer.status() < 500) return;
    const said = await answer.text().catch(() => "");
    refused.push(`${answer.status()} ${answer.url()} ${said}`);
  });
  await watched.signInWithToken(token);
  const linked = new Set<string>();
  const denied = new Set<string>();
  for (const path of paths) {
    refused = [];
    watched.complaints.length = 0;
    await page.goto(`${server.url}${path}`);
    await page
      .locator(".page h1, .page .empty")
      .first()
      .waitFor({ timeout: 15_000 })
      .catch(() => {});
    await page
      .waitForFunction(() => document.querySelector(".page .skeleton") === null, undefined, { timeout: 15_000 })
      .catch(() => found.push(`${role} ${path}: an endless skeleton`));
    await watched.answered();
    const text = await page.locator("main").innerText();
    if (text.trim().length < 12) found.push(`${role} ${path}: blank`);
    if (/This page has a fault/.test(text)) found.push(`${role} ${path}: ${text}`);
    for (const link of await page.locator(".rail a, nav.tabs a").all()) linked.add((await link.getAttribute("href"))!);
    if (explained.test(text)) denied.add(path);
    else if (refused.length > 0) found.push(`${role} ${path}: ${refused.join(", ")}`);
    // A browser says of each answer beyond 400 that it failed; which of them matter was looked at above.
    const errors = watched.complaints.filter((words) => !/Failed to load resource/.test(words));
    for (const words of errors) found.push(`${role} ${path}: ${words.slice(0, 200)}`);
  }
  await watched.close();
  for (const path of denied) if (linked.has(path)) found.push(`${role} ${path}: linked, but not for this role`);
  return found;
}
