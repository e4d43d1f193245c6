import type { Page } from "playwright-core";
import type { BusyDay, Who } from "./busy-day.ts";

/** How a picture is taken: the window, and what a person prefers. */
export const looks = {
  light: { width: 1280, height: 800 },
  dark: { width: 1280, height: 800, dark: true },
  phone: { width: 390, height: 844 },
  "phone-dark": { width: 390, height: 844, dark: true },
} as const;
export type LookName = keyof typeof looks;

/** One picture: what a person of a role sees at an address, after some keys or clicks. */
export interface Picture {
  readonly name: string;
  readonly path: string;
  readonly as?: Who;
  readonly before?: (page: Page) => Promise<unknown>;
  /** In README or docs, as high as this; all pictures also show the whole page. */
  readonly docs?: { readonly [Look in LookName]?: number };
}

const windowHeight = looks.light.height;
const phoneHeight = looks.phone.height;
const chartsHeight = 1_150;

/** Charts that stand below a map or a list. */
const toCharts = (page: Page) =>
  page
    .locator(".range-bar")
    .first()
    .evaluate((bar) => bar.scrollIntoView({ block: "start" }));

/** Every page, every chart, and the homes of all roles. */
export function picturesOf({ jobs }: BusyDay): readonly Picture[] {
  const month = new Date().toISOString().slice(0, 7);
  const past = new Date(Date.now() - 10 * 3_600_000).toISOString();
  return [
    { name: "home", path: "/", docs: { light: windowHeight, phone: phoneHeight } },
    { name: "fleet", path: "/fleet?colour=tenant", docs: { light: windowHeight } },
    { name: "fleet-charts", path: "/fleet", before: toCharts, docs: { light: windowHeight } },
    { name: "fleet-past", path: `/fleet?at=${past}`, docs: { light: windowHeight } },
    { name: "engines", path: "/fleet/engines" },
    { name: "pools", path: "/fleet/pools" },
    { name: "queue", path: "/queue", docs: { light: chartsHeight, phone: phoneHeight } },
    { name: "queue-charts", path: "/queue", before: toCharts, docs: { light: windowHeight } },
    { name: "queue-past", path: `/queue?at=${past}` },
    { name: "why", path: `/jobs/${jobs.waiting}/why`, docs: { light: windowHeight } },
    { name: "jobs", path: "/jobs", docs: { phone: phoneHeight } },
    { name: "job", path: `/jobs/${jobs.gang}`, docs: { phone: phoneHeight } },
    { name: "job-activity", path: `/jobs/${jobs.long}/activity`, docs: { light: chartsHeight } },
    { name: "placement", path: `/jobs/${jobs.gang}/placement` },
    { name: "spec", path: `/jobs/${jobs.gang}/spec` },
    { name: "usage", path: `/jobs/${jobs.gang}/usage` },
    { name: "array", path: `/jobs/${jobs.array}`, docs: { light: windowHeight } },
    { name: "new", path: `/new?from=${jobs.gang}` },
    { name: "quota", path: "/quota/org1", docs: { light: windowHeight } },
    { name: "quota-charts", path: "/quota/org1", before: toCharts, docs: { light: windowHeight } },
    { name: "cost", path: "/cost" },
    { name: "waste", path: "/cost/waste" },
    { name: "money", path: "/cost/money?from=7d&by=account", docs: { light: chartsHeight, phone: phoneHeight } },
    { name: "budgets", path: "/cost/budgets" },
    { name: "invoices", path: "/cost/invoices" },
    { name: "invoice", path: `/invoices/org1/${month}` },
    { name: "nodes", path: "/nodes" },
    { name: "node", path: "/nodes/day/h100-0042" },
    { name: "people", path: "/people" },
    { name: "me", path: "/people/me" },
    { name: "audit", path: "/audit" },
    { name: "settings", path: "/settings" },
    { name: "home-tenant-admin", path: "/", as: "tenant-admin" },
    { name: "home-team-admin", path: "/", as: "team-admin" },
    { name: "home-member", path: "/", as: "member", docs: { light: windowHeight } },
    { name: "home-viewer", path: "/", as: "viewer" },
    { name: "home-finance", path: "/", as: "finance" },
    { name: "home-auditor", path: "/", as: "auditor" },
  ];
}
