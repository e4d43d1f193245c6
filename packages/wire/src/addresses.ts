import type { RouteId, RouteOf } from "./routes.ts";

/**
 * Method and path of every route. The table of wire carries schemas, and loading those takes longer than most commands
 * run; here only the addresses are written, and the compiler refuses one that is missing or differs from wire's.
 */
export const addresses: { readonly [Id in RouteId]: `${RouteOf<Id>["method"]} ${RouteOf<Id>["path"]}` } = {
  whoAmI: "GET /v1/whoami",
  readSession: "GET /v1/session",
  signIn: "POST /v1/session",
  signOut: "DELETE /v1/session",
  linkSession: "POST /v1/session/link",
  signOutEverywhere: "DELETE /v1/sessions",
  submitJob: "POST /v1/jobs",
  applyJob: "POST /v1/jobs/apply",
  dryRunJob: "POST /v1/jobs/dry-run",
  findMissing: "POST /v1/content/missing",
  putContent: "POST /v1/content",
  listJobs: "GET /v1/jobs",
  getJob: "GET /v1/jobs/:job",
  cancelJob: "POST /v1/jobs/:job/cancel",
  holdJob: "POST /v1/jobs/:job/hold",
  releaseJob: "POST /v1/jobs/:job/release",
  suspendJob: "POST /v1/jobs/:job/suspend",
  requeueJob: "POST /v1/jobs/:job/requeue",
  editJob: "PATCH /v1/jobs/:job",
  explainJob: "GET /v1/jobs/:job/explain",
  readLogs: "GET /v1/jobs/:job/logs",
  enterJob: "POST /v1/jobs/:job/enter",
  openEntrance: "GET /v1/entrances/:entrance",
  listOutputs: "GET /v1/jobs/:job/outputs",
  listFiles: "GET /v1/jobs/:job/files",
  readFile: "GET /v1/jobs/:job/file",
  listAccounts: "GET /v1/accounts",
  createAccount: "POST /v1/accounts",
  getAccount: "GET /v1/accounts/:account",
  editAccount: "PATCH /v1/accounts/:account",
  deleteAccount: "DELETE /v1/accounts/:account",
  listSecrets: "GET /v1/accounts/:account/secrets",
  putSecret: "PUT /v1/accounts/:account/secrets/:secret",
  deleteSecret: "DELETE /v1/accounts/:account/secrets/:secret",
  listVolumes: "GET /v1/accounts/:account/volumes",
  putVolume: "PUT /v1/accounts/:account/volumes/:volume",
  deleteVolume: "DELETE /v1/accounts/:account/volumes/:volume",
  readFleet: "GET /v1/fleet",
  listNodes: "GET /v1/nodes",
  getNode: "GET /v1/nodes/:node",
  cordonNode: "POST /v1/nodes/:node/cordon",
  drainNode: "POST /v1/nodes/:node/drain",
  maintainNode: "POST /v1/nodes/:node/maintenance",
  upNode: "POST /v1/nodes/:node/up",
  downNode: "POST /v1/nodes/:node/down",
  listGpus: "GET /v1/gpus",
  getPolicy: "GET /v1/policy",
  setPolicy: "PUT /v1/policy",
  listUsers: "GET /v1/users",
  createUser: "POST /v1/users",
  getUser: "GET /v1/users/:user",
  disableUser: "POST /v1/users/:user/disable",
  enableUser: "POST /v1/users/:user/enable",
  eraseUser: "DELETE /v1/users/:user",
  setPassword: "PUT /v1/users/:user/password",
  listRoles: "GET /v1/role-bindings",
  bindRole: "POST /v1/role-bindings",
  unbindRole: "DELETE /v1/role-bindings/:binding",
  listTokens: "GET /v1/tokens",
  createToken: "POST /v1/tokens",
  revokeToken: "DELETE /v1/tokens/:token",
  readUsage: "GET /v1/usage",
  readPrices: "GET /v1/prices",
  addPrices: "POST /v1/prices",
  previewPrices: "POST /v1/prices/preview",
  setContract: "PUT /v1/accounts/:account/contract",
  readCosts: "GET /v1/costs",
  estimateJob: "POST /v1/jobs/estimate",
  listBudgets: "GET /v1/budgets",
  setBudget: "PUT /v1/accounts/:account/budget",
  dropBudget: "DELETE /v1/accounts/:account/budget",
  listBilling: "GET /v1/billing",
  setBilling: "PUT /v1/accounts/:account/billing",
  listUsageEvents: "GET /v1/usage/events",
  listInvoices: "GET /v1/invoices",
  getInvoice: "GET /v1/accounts/:account/invoices/:period",
  explainLine: "GET /v1/accounts/:account/invoices/:period/lines/:line",
  getExtract: "GET /v1/accounts/:account/invoices/:period/extract",
  closePeriod: "POST /v1/periods/close",
  listEntries: "GET /v1/ledger",
  postEntry: "POST /v1/ledger",
  getHead: "GET /v1/journal/head",
  listAudit: "GET /v1/audit",
  listEvents: "GET /v1/events",
};

type Having<Mark extends string> = {
  [Id in RouteId]: RouteOf<Id> extends { readonly [Key in Mark]: true } ? Id : never;
}[RouteId];

/** Routes that take an Idempotency-Key. */
export const creates: { readonly [Id in Having<"creates">]: true } = {
  submitJob: true,
  createAccount: true,
  createUser: true,
  bindRole: true,
  createToken: true,
};

/** The header in which the console's page shows its half of the session. */
export const proofHeader = "tessera-proof";

/** Lists that can be watched. */
export type WatchRoute = Having<"watch">;
