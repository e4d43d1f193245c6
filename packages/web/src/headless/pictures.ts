import type { Page } from "playwright-core";
import type { BusyDay, Who } from "./busy-day.ts";

/** One picture: what a person of a role sees at an address, after some keys or clicks. */
export interface Picture {
  readonly name: string;
  readonly path: string;
  readonly as?: Who;
  readonly before?: (page: Page) => Promise<unknown>;
  /** In README or docs, as high as this; the others show the whole page. */
  readonly docs?: { readonly height: number; readonly look?: "light" | "dark" | "phone" };
}

const chartsHeight = 1_150;

/** Charts that stand below a long list. */
const toCharts = (page: Page) => page.locator(".range-bar, .plot").last().scrollIntoViewIfNeeded();

/** Every page, every chart, and the homes of all roles. */
export function picturesOf({ jobs }: BusyDay): readonly Picture[] {
  const month = new Date().toISOString().slice(0, 7);
  const past = new Date(Date.now() - 10 * 3_600_000).toISOString();
  return [
    { name: "home", path: "/", docs: { height: 800 } },
    { name: "fleet", path: "/fleet?colour=tenant", docs: { height: 800 } },
    { name: "fleet-class", path: "/fleet" },
    { name: "fleet-past", path: `/fleet?at=${past}` },
    { name: "engines", path: "/fleet/engines" },
    { name: "pools", path: "/fleet/pools" },
    { name: "queue", path: "/queue", docs: { height: chartsHeight } },
    { name: "queue-past", path: `/queue?at=${past}` },
    { name: "why", path: `/jobs/${jobs.waiting}/why`, docs: { height: 800 } },
    { name: "jobs", path: "/jobs" },
    { name: "job", path: `/jobs/${jobs.gang}` },
    { name: "job-activity", path: `/jobs/${jobs.gang}/activity`, docs: { height: chartsHeight } },
    { name: "placement", path: `/jobs/${jobs.gang}/placement` },
    { name: "spec", path: `/jobs/${jobs.gang}/spec` },
    { name: "usage", path: `/jobs/${jobs.gang}/usage` },
    { name: "array", path: `/jobs/${jobs.array}` },
    { name: "new", path: `/new?from=${jobs.gang}` },
    { name: "quota", path: "/quota/org1", docs: { height: 800 } },
    { name: "quota-charts", path: "/quota/org1", before: toCharts },
    { name: "cost", path: "/cost" },
    { name: "waste", path: "/cost/waste" },
    { name: "money", path: "/cost/money?from=7d&by=account", docs: { height: chartsHeight } },
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
    { name: "home-member", path: "/", as: "member", docs: { height: 800 } },
    { name: "home-viewer", path: "/", as: "viewer" },
    { name: "home-finance", path: "/", as: "finance" },
    { name: "home-auditor", path: "/", as: "auditor" },
  ];
}
