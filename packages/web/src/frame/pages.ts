import type { WhoAmI } from "@tessera/wire";
import type { IconName } from "../design/icon.tsx";

export interface PageLink {
  readonly href: string;
  readonly label: string;
  readonly icon: IconName;
  /** Second key after `g`. */
  readonly key: string;
  readonly shown: (me: WhoAmI) => boolean;
}

const always = () => true;
const needing = (action: string) => (me: WhoAmI) => me.may.includes(action);

/** The rail, in order. Pages that a role cannot use are left out. */
export const pageLinks: readonly PageLink[] = [
  { href: "/", label: "Home", icon: "home", key: "h", shown: always },
  { href: "/fleet", label: "Fleet", icon: "fleet", key: "f", shown: needing("node.read") },
  { href: "/queue", label: "Queue", icon: "queue", key: "u", shown: needing("job.read") },
  { href: "/jobs", label: "Jobs", icon: "jobs", key: "j", shown: needing("job.read") },
  { href: "/quota", label: "Quota", icon: "quota", key: "q", shown: needing("account.read") },
  { href: "/cost", label: "Cost", icon: "cost", key: "c", shown: needing("usage.read") },
  { href: "/nodes", label: "Nodes", icon: "nodes", key: "n", shown: needing("node.read") },
  { href: "/people", label: "People", icon: "people", key: "p", shown: always },
  { href: "/audit", label: "Audit", icon: "audit", key: "a", shown: needing("audit.read") },
  { href: "/settings", label: "Settings", icon: "settings", key: "s", shown: needing("policy.read") },
];

/** The sections of Settings; the first is the page itself. */
export const settingsSections = [
  { name: "", href: "/settings", label: "Policy", needs: "policy.read" },
  { name: "prices", href: "/settings/prices", label: "Price book", needs: "price.read" },
  { name: "providers", href: "/settings/providers", label: "Signing in", needs: "provider.write" },
  { name: "anchors", href: "/settings/anchors", label: "Anchors", needs: "policy.write" },
  { name: "keys", href: "/settings/keys", label: "Data keys", needs: "policy.write" },
  { name: "outlets", href: "/settings/outlets", label: "Webhooks and audit", needs: "policy.write" },
  { name: "api", href: "/settings/api", label: "API", needs: "policy.read" },
] as const;

/** Pages inside others, which the rail does not show. */
const innerPages: readonly Pick<PageLink, "href" | "label" | "shown">[] = [
  { href: "/fleet/engines", label: "Engines", shown: needing("node.read") },
  { href: "/fleet/pools", label: "Pools", shown: needing("node.read") },
  { href: "/fleet/what-if", label: "What if", shown: needing("policy.write") },
  { href: "/cost/waste", label: "Waste", shown: needing("usage.read") },
  { href: "/cost/money", label: "Money", shown: needing("cost.read") },
  { href: "/cost/budgets", label: "Budgets", shown: needing("budget.read") },
  { href: "/cost/invoices", label: "Invoices", shown: needing("invoice.read") },
  { href: "/cost/ledger", label: "Ledger", shown: needing("ledger.read") },
  { href: "/cost/contracts", label: "Contracts", shown: needing("invoice.read") },
  { href: "/cost/close", label: "Close a month", shown: needing("bill.write") },
  ...settingsSections.slice(1).map(({ href, label, needs }) => ({ href, label, shown: needing(needs) })),
  { href: "/people/me", label: "My tokens, password and sessions", shown: always },
];

/** Every page that a person can be sent to by name. */
export function allPages(me: WhoAmI): Pick<PageLink, "href" | "label">[] {
  return [...pageLinks, ...innerPages].filter((page) => page.shown(me));
}

export function linksFor(me: WhoAmI): PageLink[] {
  return pageLinks.filter((link) => link.shown(me));
}

/** Whether an address belongs to a page's link. */
export function isAt(href: string, path: string): boolean {
  return href === "/" ? path === "/" : path === href || path.startsWith(`${href}/`);
}

/** The page that an address belongs to: what is opened beside a list, and the tabs of a job, are parts of one page. */
export function pageAt(path: string): string {
  const [, first = "", second = ""] = path.split("/");
  if (first === "quota" || (first === "people" && second !== "me")) return `/${first}`;
  return first === "jobs" && second !== "" ? `/jobs/${second}` : path;
}
