import type { Page } from "playwright-core";
import { monthBefore, type Who } from "./busy-day.ts";

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
  /** Jobs of the story are named as in `/jobs/:gang`. */
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

const hourMs = 3_600_000;
const at = (hoursFromNow: number) => new Date(Date.now() + hoursFromNow * hourMs).toISOString();

/** Every page, every chart, and the homes of all roles: of the day of a large fleet. */
export const dayPictures: readonly Picture[] = [
  { name: "home", path: "/", docs: { light: windowHeight, dark: windowHeight, phone: phoneHeight } },
  { name: "fleet", path: "/fleet?colour=tenant", docs: { light: windowHeight } },
  { name: "fleet-charts", path: "/fleet", before: toCharts, docs: { light: chartsHeight } },
  { name: "fleet-past", path: `/fleet?at=${at(-10)}`, docs: { light: windowHeight } },
  { name: "fleet-planned", path: `/fleet?at=${at(6)}` },
  { name: "engines", path: "/fleet/engines" },
  { name: "pools", path: "/fleet/pools" },
  { name: "queue", path: "/queue", docs: { light: chartsHeight, phone: phoneHeight } },
  { name: "queue-charts", path: "/queue", before: toCharts, docs: { light: windowHeight } },
  { name: "queue-past", path: `/queue?at=${at(-10)}`, docs: { light: windowHeight } },
  { name: "why", path: "/jobs/:waiting/why", docs: { light: windowHeight } },
  { name: "jobs", path: "/jobs", docs: { phone: phoneHeight } },
  { name: "job", path: "/jobs/:gang", docs: { phone: phoneHeight } },
  { name: "job-activity", path: "/jobs/:gang/activity", docs: { light: chartsHeight } },
  { name: "placement", path: "/jobs/:gang/placement" },
  { name: "spec", path: "/jobs/:gang/spec" },
  { name: "usage", path: "/jobs/:gang/usage" },
  { name: "array", path: "/jobs/:array", docs: { light: windowHeight } },
  { name: "new", path: "/new?from=:gang" },
  { name: "quota", path: "/quota/org1", docs: { light: windowHeight } },
  { name: "quota-charts", path: "/quota/org1?range=1d", before: toCharts, docs: { light: windowHeight } },
  { name: "cost", path: "/cost" },
  { name: "waste", path: "/cost/waste" },
  { name: "nodes", path: "/nodes" },
  { name: "node", path: "/nodes/day/h100-0042" },
  { name: "people", path: "/people" },
  { name: "me", path: "/people/me" },
  { name: "audit", path: "/audit" },
  { name: "settings", path: "/settings" },
  { name: "prices", path: "/settings/prices" },
  { name: "home-tenant-admin", path: "/", as: "tenant-admin" },
  { name: "home-team-admin", path: "/", as: "team-admin" },
  { name: "home-member", path: "/", as: "member", docs: { light: windowHeight } },
  { name: "home-viewer", path: "/", as: "viewer" },
  { name: "home-auditor", path: "/", as: "auditor" },
];

/** What compares days and months: of the weeks of a small fleet. */
export const weeksPictures: readonly Picture[] = [
  { name: "money", path: "/cost/money?by=account", docs: { light: chartsHeight, phone: phoneHeight } },
  { name: "money-before", path: "/cost/money?by=class&compare=before", docs: { light: chartsHeight } },
  { name: "budgets", path: "/cost/budgets" },
  { name: "invoices", path: "/cost/invoices" },
  { name: "invoice", path: `/invoices/org1/${monthBefore()}` },
  { name: "ledger", path: "/cost/ledger" },
  { name: "home-finance", path: "/", as: "finance" },
];
