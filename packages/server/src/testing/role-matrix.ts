import { type Role, roles, type TokenId, type UserId } from "@tessera/core";
import { type Route, type RouteId, routes } from "@tessera/wire";
import type { TestControl } from "./control.ts";
import { type Answer, Tenancy, type TestServer, type TestUser } from "./tenancy.ts";

/**
 * Walks every route as every role against {own account, child, sibling tenant, missing} and compares the status with a
 * table of its own. It shares no line with access/policy.ts: what is written here is what the roles are meant to be.
 */
export const tenancies = ["own", "child", "sibling", "missing"] as const;
export type Where = (typeof tenancies)[number];
const admin =
  "job.read job.submit job.control job.logs job.enter account.read account.write user.read user.write role.read role.write token.read token.write secret.read secret.write volume.read volume.share usage.read cost.read budget.read budget.write invoice.read ledger.read event.read";
const can: Readonly<Record<Role, ReadonlySet<string>>> = {
  "platform-owner": words(
    `${admin} audit.read node.write engine.write provider.write pool.write policy.write volume.write witness.write price.write bill.write`,
  ),
  "tenant-admin": words(`${admin} audit.read`),
  "team-admin": words(admin),
  member: words("job.read job.submit account.read secret.read volume.read usage.read cost.read budget.read event.read"),
  viewer: words("job.read account.read secret.read volume.read usage.read cost.read budget.read event.read"),
  finance: words("account.read usage.read cost.read budget.read budget.write invoice.read ledger.read"),
  auditor: words(
    "job.read account.read user.read role.read token.read secret.read volume.read usage.read cost.read budget.read invoice.read ledger.read event.read audit.read",
  ),
};

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}

/** What must be allowed for a thing to be seen at all, and what for the route; `at: "above"` asks it of the parent. */
interface Expectation {
  readonly sees?: string;
  readonly needs?: string;
  readonly at?: "above";
  /** The route names no account, job or user: where it is asked makes no difference. */
  readonly anywhere?: true;
  /** Nothing is there to be found, even for callers who may look. */
  readonly absent?: true;
  /** The status where it is allowed, if the things of a cell are not such that it succeeds: jobs of cells never run. */
  readonly answers?: number;
  /** It acts on a tenant as a whole: a part of one is refused where it is allowed. */
  readonly tenantOnly?: true;
  /** Nodes are there for everyone; only a name that does not exist is missing. */
  readonly fleet?: true;
}

/** A provider that nothing listens at. */
export const someProvider = {
  ...{ issuer: "http://127.0.0.1:9", clientId: "tessera", label: "Corp", groupsClaim: "groups" },
  ...{ scopes: [], rules: [], acr: [] },
};

/** The provider of a cell, with one SCIM token. */
async function cellProvider({ control }: Tenancy, n: number): Promise<void> {
  await control.must({ kind: "provider.set", name: "corp", terms: someProvider });
  for (const { id } of control.state.providers.get("corp")?.scim ?? [])
    await control.must({ kind: "scim.close", provider: "corp", token: id });
  const token = { id: `tok_${n}` as TokenId, prefix: "scim_ab", hash: `of ${n}` };
  await control.must({ kind: "scim.open", provider: "corp", ...token });
}

const expectations: Readonly<Record<RouteId, Expectation>> = {
  whoAmI: { anywhere: true },
  openStream: { anywhere: true },
  // Cells have no stream open, and none that could be named.
  leaveTopic: { anywhere: true, answers: 400 },
  readSession: { anywhere: true },
  signIn: { anywhere: true },
  // No provider can be asked in a cell.
  beginSignIn: { anywhere: true, answers: 401 },
  // Walkers come to an address of digits, for which there are no passkeys.
  challengeSignIn: { anywhere: true, answers: 422 },
  beginLogin: { anywhere: true },
  // Programs of cells do not wait.
  readLogin: { anywhere: true, answers: 404 },
  allowLogin: { anywhere: true, answers: 404 },
  takeLogin: { anywhere: true, answers: 404 },
  // No request of a walker waits for a factor, and tokens of programs show none.
  beginStepUp: { anywhere: true, answers: 403 },
  readStepUp: { anywhere: true, answers: 404 },
  allowStepUp: { anywhere: true, answers: 403 },
  takeStepUp: { anywhere: true, answers: 404 },
  signOut: { anywhere: true },
  linkSession: { anywhere: true },
  // The walkers come with tokens, and second factors are for sessions.
  challengeFactor: { anywhere: true, answers: 403 },
  showFactor: { anywhere: true, answers: 403 },
  listFactors: { anywhere: true },
  offerFactor: { anywhere: true, answers: 403 },
  addFactor: { anywhere: true, answers: 403 },
  renewRecovery: { anywhere: true, answers: 403 },
  removeFactor: { anywhere: true, answers: 403 },
  listSessions: { anywhere: true },
  // The walkers come with tokens of programs, and have no session.
  nameSession: { anywhere: true, answers: 404 },
  signOutEverywhere: { anywhere: true },
  submitJob: { sees: "account.read", needs: "job.submit" },
  applyJob: { sees: "account.read", needs: "job.submit" },
  dryRunJob: { sees: "account.read", needs: "job.submit" },
  findMissing: { sees: "account.read", needs: "job.submit" },
  putContent: { sees: "account.read", needs: "job.submit" },
  listJobs: { sees: "account.read", needs: "job.read" },
  getJob: { sees: "job.read" },
  cancelJob: { sees: "job.read", needs: "job.control" },
  holdJob: { sees: "job.read", needs: "job.control" },
  releaseJob: { sees: "job.read", needs: "job.control" },
  suspendJob: { sees: "job.read", needs: "job.control" },
  requeueJob: { sees: "job.read", needs: "job.control", answers: 409 },
  editJob: { sees: "job.read", needs: "job.control" },
  explainJob: { sees: "job.read" },
  readLogs: { sees: "job.read", needs: "job.logs" },
  enterJob: { sees: "job.read", needs: "job.enter", answers: 409 },
  openEntrance: { absent: true },
  listOutputs: { sees: "job.read", needs: "job.logs" },
  listFiles: { sees: "job.read", needs: "job.logs" },
  readFile: { sees: "job.read", needs: "job.logs", absent: true },
  listAccounts: { sees: "account.read" },
  createAccount: { sees: "account.read", needs: "account.write" },
  getAccount: { sees: "account.read" },
  previewAccount: { sees: "account.read", needs: "account.write", at: "above" },
  editAccount: { sees: "account.read", needs: "account.write", at: "above" },
  deleteAccount: { sees: "account.read", needs: "account.write", at: "above" },
  listSecrets: { sees: "account.read", needs: "secret.read" },
  putSecret: { sees: "account.read", needs: "secret.write" },
  deleteSecret: { sees: "account.read", needs: "secret.write" },
  listVolumes: { sees: "account.read", needs: "volume.read" },
  putVolume: { sees: "account.read", needs: "volume.write" },
  deleteVolume: { sees: "account.read", needs: "volume.write" },
  putGrants: { sees: "account.read", needs: "volume.share" },
  search: { anywhere: true },
  readSummary: { sees: "account.read", needs: "job.read" },
  readFleet: { anywhere: true },
  readFleetActivity: { sees: "account.read", needs: "usage.read" },
  listAlarms: { anywhere: true },
  listNodes: { anywhere: true },
  getNode: { fleet: true },
  cordonNode: { fleet: true, needs: "node.write" },
  drainNode: { fleet: true, needs: "node.write" },
  maintainNode: { fleet: true, needs: "node.write" },
  upNode: { fleet: true, needs: "node.write" },
  downNode: { fleet: true, needs: "node.write" },
  readNodeHealth: { fleet: true },
  // The API of the test drives no engines, and jobs of cells never run.
  checkNode: { fleet: true, needs: "node.write", answers: 409 },
  checkJob: { sees: "job.read", needs: "job.control", answers: 409 },
  listRepairs: { anywhere: true, needs: "node.write" },
  closeRepair: { anywhere: true, needs: "node.write", answers: 404 },
  listGpus: { anywhere: true },
  listEngines: { anywhere: true },
  // The API of the test drives no engines: what would open or close one is refused.
  listProviders: { anywhere: true, needs: "provider.write" },
  putProvider: { anywhere: true, needs: "provider.write", answers: 422 },
  getProvider: { fleet: true, needs: "provider.write" },
  removeProvider: { fleet: true, needs: "provider.write" },
  previewProvider: { fleet: true, needs: "provider.write" },
  linkIdentity: { fleet: true, needs: "provider.write" },
  listExchanges: { anywhere: true, needs: "provider.write" },
  putExchange: { anywhere: true, needs: "provider.write", answers: 422 },
  getExchange: { fleet: true, needs: "provider.write" },
  removeExchange: { fleet: true, needs: "provider.write" },
  previewExchange: { fleet: true, needs: "provider.write" },
  createScimToken: { fleet: true, needs: "provider.write" },
  revokeScimToken: { fleet: true, needs: "provider.write" },
  createEngine: { anywhere: true, needs: "engine.write", answers: 422 },
  getEngine: { fleet: true },
  editEngine: { fleet: true, needs: "engine.write", answers: 422 },
  cordonEngine: { fleet: true, needs: "engine.write" },
  upEngine: { fleet: true, needs: "engine.write" },
  deleteEngine: { fleet: true, needs: "engine.write", answers: 422 },
  listPools: { anywhere: true },
  createPool: { anywhere: true, needs: "pool.write" },
  previewPool: { anywhere: true, needs: "pool.write" },
  getPool: { fleet: true },
  editPool: { fleet: true, needs: "pool.write" },
  deletePool: { fleet: true, needs: "pool.write" },
  getPolicy: { anywhere: true },
  setPolicy: { anywhere: true, needs: "policy.write" },
  listUsers: { anywhere: true, needs: "user.read" },
  createUser: { sees: "account.read", needs: "user.write" },
  getUser: { sees: "user.read" },
  disableUser: { sees: "user.read", needs: "user.write" },
  enableUser: { sees: "user.read", needs: "user.write" },
  eraseUser: { sees: "user.read", needs: "user.write" },
  setPassword: { sees: "user.read", needs: "user.write" },
  listRoles: { sees: "account.read", needs: "role.read" },
  bindRole: { sees: "account.read", needs: "role.write" },
  unbindRole: { sees: "role.read", needs: "role.write" },
  listTokens: { sees: "token.read" },
  createToken: { sees: "user.read", needs: "user.write" },
  revokeToken: { sees: "token.read", needs: "token.write" },
  readUsage: { sees: "account.read", needs: "usage.read" },
  readTop: { sees: "account.read", needs: "usage.read" },
  readBusy: { sees: "account.read", needs: "usage.read" },
  readMoment: { sees: "account.read", needs: "job.read" },
  readPlan: { sees: "account.read", needs: "job.read" },
  readWaste: { sees: "account.read", needs: "usage.read" },
  readSeries: { sees: "account.read", needs: "usage.read" },
  readPrices: { anywhere: true },
  addPrices: { anywhere: true, needs: "price.write" },
  previewPrices: { anywhere: true, needs: "price.write" },
  previewContract: { sees: "account.read", needs: "price.write", tenantOnly: true },
  setContract: { sees: "account.read", needs: "price.write", tenantOnly: true },
  readCosts: { sees: "account.read", needs: "cost.read" },
  estimateJob: { sees: "account.read", needs: "job.submit" },
  listBudgets: { sees: "account.read", needs: "budget.read" },
  setBudget: { sees: "account.read", needs: "budget.write" },
  dropBudget: { sees: "account.read", needs: "budget.write" },
  previewBudget: { sees: "account.read", needs: "budget.write" },
  listBilling: { sees: "account.read", needs: "invoice.read" },
  setBilling: { sees: "account.read", needs: "bill.write", tenantOnly: true },
  previewBilling: { sees: "account.read", needs: "bill.write", tenantOnly: true },
  listUsageEvents: { sees: "account.read", needs: "usage.read" },
  listInvoices: { sees: "account.read", needs: "invoice.read" },
  getInvoice: { sees: "account.read", needs: "invoice.read" },
  explainLine: { sees: "account.read", needs: "invoice.read", absent: true },
  getExtract: { sees: "account.read", needs: "invoice.read", absent: true },
  previewClose: { anywhere: true, needs: "bill.write" },
  closePeriod: { anywhere: true, needs: "bill.write" },
  listEntries: { sees: "account.read", needs: "ledger.read" },
  postEntry: { sees: "account.read", needs: "bill.write", tenantOnly: true },
  getHead: { anywhere: true },
  proveConsistency: { anywhere: true },
  startWhatIf: { anywhere: true, needs: "policy.write", answers: 409 },
  getWhatIf: { anywhere: true, needs: "policy.write", answers: 404 },
  cancelWhatIf: { anywhere: true, needs: "policy.write", answers: 404 },
  listOutlets: { anywhere: true, needs: "policy.write" },
  listAnchors: { anywhere: true, needs: "policy.write" },
  addAnchor: { anywhere: true, needs: "policy.write" },
  removeAnchor: { anywhere: true, needs: "policy.write", answers: 404 },
  listDataKeys: { anywhere: true, needs: "policy.write" },
  rotateDataKey: { anywhere: true, needs: "policy.write" },
  listWitnessed: { anywhere: true, needs: "policy.write" },
  witnessHead: { anywhere: true, needs: "witness.write", answers: 422 },
  listAudit: { sees: "account.read", needs: "audit.read" },
  listEvents: { sees: "account.read", needs: "event.read" },
};

/** The status that this cell must have. */
export function expected(id: RouteId, role: Role, where: Where): number {
  const { sees, needs, at, anywhere, fleet, absent, answers, tenantOnly } = expectations[id];
  const has = (action: string | undefined) => action === undefined || can[role].has(action);
  const status = tenantOnly && where === "child" ? 422 : (answers ?? routes[id].status);
  if (anywhere) return has(needs) ? status : 403;
  // Where the body names the account, one who may do it nowhere is told so before the body is read.
  const { resource } = routes[id];
  if ((resource === "in-project" || resource === "in-account") && !has(needs)) return 403;
  if (where === "missing") return 404;
  if (fleet) return has(needs) ? status : 403;
  if (where === "sibling" && role !== "platform-owner") return 404;
  if (!has(sees)) return 404;
  if (at === "above" && where === "own" && role !== "platform-owner") return 403;
  return !has(needs) ? 403 : absent ? 404 : status;
}

const accountOf: Readonly<Record<Where, string>> = {
  own: "acme",
  child: "acme/team",
  sibling: "bolt",
  missing: "nowhere",
};
/** Jobs of cells never start, so that they can be held and released. */
const notYet = 4_000_000_000_000;
const somePrices = { currency: "EUR", gpus: [{ model: "*", reservedMicros: 1, burstMicros: 2 }] };
const missingJob = "job_0000000000000000";

/** Two tenants, and in the first one user of each role. */
export async function makeWorld(control: TestControl): Promise<{ tenancy: Tenancy; users: Record<Role, TestUser> }> {
  const tenancy = new Tenancy(control);
  for (const path of ["acme", "acme/team", "bolt", "bolt/team"]) await tenancy.account(path);
  await tenancy.prices();
  const terms = { kind: "simulated", lostAfterMs: 0, settings: {} } as const;
  await control.must({ kind: "engine.create", name: "test", terms });
  const users = {} as Record<Role, TestUser>;
  for (const role of roles) {
    users[role] = await tenancy.user(`walker-${role}`, role, role === "platform-owner" ? "" : "acme");
  }
  return { tenancy, users };
}

let fresh = 0;

/** What to ask for in a cell, on things made for this cell alone. */
export async function requestFor(
  tenancy: Tenancy,
  id: RouteId,
  role: Role,
  where: Where,
): Promise<{ path: string; body?: unknown }> {
  const route: Route = routes[id];
  const account = accountOf[where];
  const exists = where !== "missing";
  const n = ++fresh;
  const job = async () => (exists ? tenancy.job(account, (await someone()).id, { name: `j${n}` }, notYet) : missingJob);
  const someone = () => tenancy.user(`u${n}`, "viewer", account);
  const missing = { id: "usr_0000000000000000", name: "", token: "", tokenId: "tok_0000000000000000" };
  const other = async () => (exists ? someone() : missing);
  const at = (text: string) => encodeURIComponent(text);
  const fill = async (): Promise<string> => {
    switch (route.resource) {
      case "job":
        return route.path.replace(":job", await job());
      case "account": {
        const doomed = id === "deleteAccount" ? await doomedAccount(tenancy, role, where, n) : account;
        if (id === "deleteSecret" && exists) await tenancy.secret(account, `S${n}`, "x");
        if ((id === "deleteVolume" || id === "putGrants") && exists)
          await tenancy.volume(account, `V${n}`, "/srv/data");
        return route.path
          .replace(":account", at(doomed))
          .replace(":secret", `S${n}`)
          .replace(":volume", `V${n}`)
          .replace(":period", "open")
          .replace(":line", "1");
      }
      case "user":
        return route.path.replace(":user", (await other()).id);
      case "token":
        return route.path.replace(":token", (await other()).tokenId);
      case "binding":
        return route.path.replace(":binding", at(`${(await other()).id}:viewer:${account}`));
      default:
        if (route.path.includes(":provider") && exists) await cellProvider(tenancy, n);
        if (route.path.includes(":exchange") && exists) await someExchange(tenancy);
        if (route.path.includes(":pool") && exists) await tenancy.pool(`p${n}`, { labels: { n: `${n}` } });
        return route.path
          .replace(":node", exists ? "n1" : "n999")
          .replace(":engine", exists ? "test" : "nowhere")
          .replace(":provider", exists ? "corp" : "nowhere")
          .replace(":exchange", exists ? "ci" : "nowhere")
          .replace(":token", `tok_${n}`)
          .replace(/:(login|code)/, "BCDF-GHJK")
          .replace(":repair", "999")
          .replace(":session", "tok_0000000000000000")
          .replace(":factor", "fac_0000000000000000")
          .replace(":pool", exists ? `p${n}` : "nowhere")
          .replace(":entrance", "ent_0000000000000000");
    }
  };
  const path = await fill();
  switch (id) {
    case "offerFactor":
      return { path, body: { kind: "totp" } };
    case "addFactor":
    case "allowStepUp":
    case "showFactor":
      return { path, body: { code: "123456" } };
    case "beginLogin":
      return { path, body: { challenge: "x".repeat(43), label: "a machine" } };
    case "beginStepUp":
      return { path, body: { request: "req_x", challenge: "x".repeat(43) } };
    case "takeStepUp":
    case "takeLogin":
      return { path, body: { verifier: "x".repeat(43) } };
    case "beginSignIn":
      return { path, body: { provider: "nowhere" } };
    case "putProvider":
      return { path, body: { issuer: "http://127.0.0.1:9", clientId: "x" } };
    case "putExchange":
      return { path, body: { issuer: "http://127.0.0.1:9", audience: "x" } };
    case "previewExchange":
      return { path, body: { token: "no token" } };
    case "linkIdentity":
      return { path, body: { user: (await other()).id, subject: `s${n}` } };
    case "signIn":
      return { path, body: { token: (await tenancy.user(`u${n}`)).token } };
    case "submitJob":
    case "applyJob":
    case "dryRunJob":
      return { path, body: { run: "true", name: `s${n}`, project: account } };
    case "readFile":
      return { path: `${path}?path=x` };
    case "findMissing":
      return { path, body: { project: account, digests: ["0".repeat(64)] } };
    case "putContent":
    case "readSummary":
    case "listJobs":
      return { path: `${path}?project=${at(account)}` };
    case "listAccounts":
      return { path: `${path}?under=${at(account)}` };
    case "addPrices":
    case "previewPrices":
      return { path, body: { ...somePrices, id: `p${n}`, from: new Date(notYet + n * 1000).toISOString() } };
    case "setContract":
    case "previewContract":
      return { path, body: { from: "2030-01-01", to: "2031-01-01", tz: "UTC", perMille: 900 } };
    case "estimateJob":
      return { path, body: { run: "true", name: `s${n}`, project: account } };
    case "dropBudget":
      if (exists) await tenancy.budget(account);
      return { path };
    case "setBudget":
    case "previewBudget":
      return { path, body: { limitMicros: "1000000" } };
    case "setBilling":
    case "previewBilling":
      return { path, body: { mode: "chargeback" } };
    case "closePeriod":
    case "previewClose":
      return { path, body: { period: "2020-01" } };
    case "postEntry":
      return { path, body: { account, kind: "payment", micros: "1", memo: "" } };
    case "readCosts":
    case "listBudgets":
    case "listInvoices":
    case "listBilling":
    case "listUsageEvents":
    case "listEntries":
    case "listRoles":
    case "readUsage":
    case "readFleetActivity":
    case "readTop":
    case "readBusy":
    case "readWaste":
    case "readSeries":
    case "listAudit":
    case "listEvents":
      return { path: `${path}?account=${at(account)}` };
    case "openEntrance":
      return { path: path.replace(":entrance", "ent_0000000000000000") };
    case "readPlan":
      return { path: `${path}?project=${at(account)}` };
    case "readMoment":
      return { path: `${path}?at=1s&project=${at(account)}` };
    case "enterJob":
      return { path, body: { how: "exec", command: "true" } };
    case "createAccount":
      return { path, body: { path: `${account}/c${n}` } };
    case "search":
      return { path: `${path}?q=a` };
    case "previewAccount":
    case "editAccount":
      return { path, body: { weight: 2 } };
    case "createEngine":
      return { path, body: { name: `e${n}`, kind: "simulated", settings: { fleet: "1x1:H100" } } };
    case "createPool":
      // Pools are few; those of other cells make room for the next.
      for (const pool of [...tenancy.control.state.pools.keys()])
        await tenancy.control.must({ kind: "pool.delete", name: pool });
      return { path, body: { name: `p${n}`, labels: { kind: "x" } } };
    case "previewPool":
      return { path, body: { name: `p${n}`, labels: { kind: "x" } } };
    case "editPool":
      return { path, body: { price: "1.5", tenants: null } };
    case "closeRepair":
      return { path, body: { reason: "repaired" } };
    case "maintainNode":
      return { path, body: { cancel: true } };
    case "setPolicy":
      return { path, body: { rebalance: "off", minRuntime: "1m", grace: "0s", backfill: true } };
    case "proveConsistency":
      return { path: `${path}?from=1&to=1` };
    case "startWhatIf":
      return { path, body: { from: "7d" } };
    case "getWhatIf":
    case "cancelWhatIf":
      return { path: path.replace(":run", "wif_0000000000000000") };
    case "removeAnchor":
      return { path: path.replace(":anchor", "anc_0000000000000000") };
    case "witnessHead":
      return { path, body: { head: "no head", keys: [{ publicKey: "k" }] } };
    case "addAnchor":
      return { path, body: { kind: "http", to: `http://127.0.0.1:9/${n}` } };
    case "putVolume":
      return { path, body: { path: "/srv/data" } };
    case "putGrants":
      return { path, body: { grants: [{ access: "read", purposes: ["training"] }] } };
    case "putSecret":
      return { path, body: { value: "v" } };
    case "createUser":
      return { path, body: { name: `new${n}`, role: "viewer", account } };
    case "setPassword":
      return { path, body: { password: "correct horse battery" } };
    case "bindRole":
      return { path, body: { user: (await other()).id, role: "member", account } };
    case "listTokens":
      return { path: `${path}?user=${(await other()).id}` };
    case "createToken":
      return { path, body: { user: (await other()).id } };
    default:
      return { path, ...(route.body !== undefined && { body: {} }) };
  }
}

/** An exchange for a service account, of an issuer that nothing listens at. */
async function someExchange({ control }: Tenancy): Promise<void> {
  const user = "usr_robot00000000000" as UserId;
  if (!control.state.users.has(user)) await control.must({ kind: "user.create", user, service: "acme" });
  const terms = {
    ...{ issuer: "http://127.0.0.1:9", audience: "x", user, rules: [{ claim: "sub", value: "x" }], scopes: [] },
    ...{ account: "acme", tokenLifeMs: 60_000 },
  };
  await control.must({ kind: "exchange.set", name: "ci", terms });
}

/** An account that may be deleted without harm to the next cell; one's own stands for what one may not delete. */
async function doomedAccount(tenancy: Tenancy, role: Role, where: Where, n: number): Promise<string> {
  if (where === "missing" || (where === "own" && role !== "platform-owner")) return accountOf[where];
  const path = where === "child" ? `acme/d${n}` : `doomed${n}`;
  await tenancy.account(path);
  return path;
}

/** An answer without what differs each time, and without the name that was asked for. */
function fingerprint({ status, headers, text, json }: Answer): string {
  const changes = new Set(["x-request-id", "tessera-head", "date", "content-length"]);
  const stable = [...headers].filter(([name]) => !changes.has(name));
  const { value } = (json ?? {}) as { value?: unknown };
  const nameless = typeof value === "string" ? text.replaceAll(value, "NAME") : text;
  return JSON.stringify([status, stable, nameless.replaceAll(/req_[a-z0-9]{16}/g, "")]);
}

/** Walks the given routes; answers how many cells there were and which were not as they must be. */
export async function walk(
  server: TestServer,
  world: { tenancy: Tenancy; users: Record<Role, TestUser> },
  ids: readonly RouteId[],
): Promise<{ cells: number; wrong: string[] }> {
  const wrong: string[] = [];
  let cells = 0;
  for (const id of ids) {
    for (const role of roles) {
      let hidden: string | undefined;
      for (const where of tenancies) {
        cells++;
        const { path, body } = await requestFor(world.tenancy, id, role, where);
        const answer = await server.call(world.users[role].token, routes[id].method, path, body);
        const must = expected(id, role, where);
        if (answer.status !== must)
          wrong.push(`${id} as ${role} on ${where}: ${answer.status}, not ${must}: ${answer.text}`);
        // What may not be seen is answered exactly like what is not there.
        if (must === 404 && where === "sibling" && role !== "platform-owner") hidden = fingerprint(answer);
        if (must === 404 && where === "missing" && hidden !== undefined && hidden !== fingerprint(answer)) {
          wrong.push(`${id} as ${role}: hidden and missing differ: ${hidden} and ${fingerprint(answer)}`);
        }
        if (id === "cordonNode" || id === "drainNode" || id === "downNode")
          await world.tenancy.control.must({ kind: "node.up", node: "n1" });
      }
    }
  }
  return { cells, wrong };
}
