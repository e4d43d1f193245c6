/**
 * The address of each page of the console, as the router of the console reads it: `:name` is a part, `*` the rest. The
 * server answers with the page at these addresses and at no other.
 */
export const pagePaths = [
  "/",
  "/sign-in",
  "/sign-in/tess",
  "/step-up",
  "/queue",
  "/jobs",
  "/jobs/:id/:tab?",
  "/compare",
  "/new",
  "/fleet",
  "/fleet/engines",
  "/fleet/pools",
  "/fleet/what-if",
  "/quota",
  "/quota/*",
  "/cost",
  "/cost/waste",
  "/cost/money",
  "/cost/budgets",
  "/cost/invoices",
  "/cost/ledger",
  "/cost/contracts",
  "/cost/close",
  "/invoices/:account/:period",
  "/nodes",
  "/nodes/*",
  "/people/:user?",
  "/audit",
  "/settings/:section?",
] as const;

export type PagePath = (typeof pagePaths)[number];
