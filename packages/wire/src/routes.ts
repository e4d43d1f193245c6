import Type, { type Static, type TSchema } from "typebox";
import type { Action } from "./actions.ts";
import {
  PasswordPut,
  RoleBindBody,
  RoleBindingPage,
  RoleBindingShape,
  SessionShape,
  SignIn,
  TokenCreate,
  TokenCreated,
  TokenPage,
  UserCreate,
  UserPage,
  UserShape,
  WhoAmI,
} from "./shapes/access.ts";
import { Account, AccountCreate, AccountEdit, AccountPage, SecretList, SecretPut } from "./shapes/account.ts";
import { AccountPath, Line, PageQuery } from "./shapes/common.ts";
import { DrainBody, FleetMap, GpuPage, MaintenanceBody, NodePage, NodeShape, ReasonBody } from "./shapes/fleet.ts";
import { DryRun, Explanation, Job, JobCreated, JobPage, JobSpecBody, LogEntry } from "./shapes/job.ts";
import { PolicyPut, PolicyShape } from "./shapes/policy.ts";
import { AuditPage, FeedPage, UsageReport } from "./shapes/usage.ts";

/**
 * What a route acts on, hence where the account is found that the caller's role must cover:
 * `job`, `account`, `user`, `token`, `secret`: named by the path parameter of that name. `in-project`, `in-account`: by the
 * body's or query's `project` / `account`. `visible`: a list that is cut to what the caller may see. `fleet`: nodes and
 * GPUs, which everyone who is signed in may see and only the platform's roles may change. `self`: the caller.
 * `anyone`: also one who is not signed in.
 */
export type Resource =
  | "job"
  | "account"
  | "user"
  | "token"
  | "secret"
  | "binding"
  | "in-project"
  | "in-account"
  | "visible"
  | "fleet"
  | "self"
  | "anyone";

export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly action: Action;
  readonly resource: Resource;
  readonly summary: string;
  readonly query?: TSchema;
  readonly body?: TSchema;
  readonly answer: TSchema;
  readonly status: 200 | 201 | 204;
  /** Takes an Idempotency-Key. */
  readonly creates?: true;
  /** Takes If-Match. */
  readonly edits?: true;
  /** With `Accept: text/event-stream`, sends the list and then each change. */
  readonly watch?: true;
  /** Answers one JSON object a line for as long as it lasts. */
  readonly stream?: "ndjson";
  /** Also takes application/yaml. */
  readonly yaml?: true;
}

const none = Type.Object({});
const empty = Type.Object({}, { additionalProperties: false });
const text = (maxLength = 200) => Type.Optional(Line(maxLength));
const instant = Type.Optional(
  Type.String({ maxLength: 40, description: "ISO 8601, or a duration back from now such as 7d" }),
);

const table = {
  whoAmI: {
    method: "GET",
    path: "/v1/whoami",
    action: "self.read",
    resource: "self",
    summary: "Who the token speaks for",
    answer: WhoAmI,
    status: 200,
  },

  readSession: {
    method: "GET",
    path: "/v1/session",
    action: "session.write",
    resource: "anyone",
    summary: "Who is signed in, if anybody",
    answer: SessionShape,
    status: 200,
  },
  signIn: {
    method: "POST",
    path: "/v1/session",
    action: "session.write",
    resource: "anyone",
    summary: "Sign a browser in: answers with a session cookie",
    body: SignIn,
    answer: WhoAmI,
    status: 200,
  },
  signOut: {
    method: "DELETE",
    path: "/v1/session",
    action: "session.write",
    resource: "self",
    summary: "End this session",
    answer: none,
    status: 204,
  },
  signOutEverywhere: {
    method: "DELETE",
    path: "/v1/sessions",
    action: "session.write",
    resource: "self",
    summary: "End all sessions of the caller",
    answer: none,
    status: 204,
  },

  submitJob: {
    method: "POST",
    path: "/v1/jobs",
    action: "job.submit",
    resource: "in-project",
    summary: "Submit a job",
    body: JobSpecBody,
    answer: JobCreated,
    status: 201,
    creates: true,
    yaml: true,
  },
  applyJob: {
    method: "POST",
    path: "/v1/jobs/apply",
    action: "job.submit",
    resource: "in-project",
    summary: "Submit unless a live job of this project and name has the same spec",
    body: JobSpecBody,
    answer: JobCreated,
    status: 200,
    yaml: true,
  },
  dryRunJob: {
    method: "POST",
    path: "/v1/jobs/dry-run",
    action: "job.submit",
    resource: "in-project",
    summary: "What would become of this job",
    body: JobSpecBody,
    answer: DryRun,
    status: 200,
    yaml: true,
  },
  listJobs: {
    method: "GET",
    path: "/v1/jobs",
    action: "job.read",
    resource: "visible",
    summary: "Jobs, newest first",
    answer: JobPage,
    status: 200,
    watch: true,
    query: Type.Object(
      {
        ...PageQuery,
        project: Type.Optional(AccountPath),
        user: text(),
        name: text(),
        array: text(),
        state: Type.Optional(
          Type.Enum(["live", "waiting", "starting", "running", "stopping", "ended", "all"], { default: "live" }),
        ),
      },
      { additionalProperties: false },
    ),
  },
  getJob: {
    method: "GET",
    path: "/v1/jobs/:job",
    action: "job.read",
    resource: "job",
    summary: "One job or array, by id or by the newest of that name",
    answer: Job,
    status: 200,
  },
  cancelJob: {
    method: "POST",
    path: "/v1/jobs/:job/cancel",
    action: "job.control",
    resource: "job",
    summary: "Stop a job for good",
    body: empty,
    answer: Job,
    status: 200,
  },
  holdJob: {
    method: "POST",
    path: "/v1/jobs/:job/hold",
    action: "job.control",
    resource: "job",
    summary: "Keep a waiting job from starting",
    body: empty,
    answer: Job,
    status: 200,
  },
  releaseJob: {
    method: "POST",
    path: "/v1/jobs/:job/release",
    action: "job.control",
    resource: "job",
    summary: "Let a held job start",
    body: empty,
    answer: Job,
    status: 200,
  },
  explainJob: {
    method: "GET",
    path: "/v1/jobs/:job/explain",
    action: "job.read",
    resource: "job",
    summary: "Why a job waits",
    answer: Explanation,
    status: 200,
  },
  readLogs: {
    method: "GET",
    path: "/v1/jobs/:job/logs",
    action: "job.logs",
    resource: "job",
    summary: "Log lines",
    answer: LogEntry,
    status: 200,
    stream: "ndjson",
    query: Type.Object(
      {
        rank: Type.Optional(Type.Integer({ minimum: 0 })),
        attempt: Type.Optional(Type.Integer({ minimum: 1, description: "Default: the last that ran" })),
        tail: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
        since: instant,
        follow: Type.Optional(Type.Boolean()),
      },
      { additionalProperties: false },
    ),
  },

  listAccounts: {
    method: "GET",
    path: "/v1/accounts",
    action: "account.read",
    resource: "visible",
    summary: "Accounts by path",
    answer: AccountPage,
    status: 200,
    watch: true,
    query: Type.Object({ ...PageQuery, under: Type.Optional(AccountPath) }, { additionalProperties: false }),
  },
  createAccount: {
    method: "POST",
    path: "/v1/accounts",
    action: "account.write",
    resource: "in-account",
    summary: "Make an account below one that the caller administers",
    body: AccountCreate,
    answer: Account,
    status: 201,
    creates: true,
  },
  getAccount: {
    method: "GET",
    path: "/v1/accounts/:account",
    action: "account.read",
    resource: "account",
    summary: "One account, by path (/ written as %2F) or id",
    answer: Account,
    status: 200,
  },
  editAccount: {
    method: "PATCH",
    path: "/v1/accounts/:account",
    action: "account.write",
    resource: "account",
    summary: "Change quota, limits or what is allowed",
    body: AccountEdit,
    answer: Account,
    status: 200,
    edits: true,
  },
  deleteAccount: {
    method: "DELETE",
    path: "/v1/accounts/:account",
    action: "account.write",
    resource: "account",
    summary: "Remove an account that holds nothing",
    answer: none,
    status: 204,
    edits: true,
  },

  listSecrets: {
    method: "GET",
    path: "/v1/accounts/:account/secrets",
    action: "secret.read",
    resource: "account",
    summary: "Names of secrets; values are never shown",
    answer: SecretList,
    status: 200,
    query: Type.Object(PageQuery, { additionalProperties: false }),
  },
  putSecret: {
    method: "PUT",
    path: "/v1/accounts/:account/secrets/:secret",
    action: "secret.write",
    resource: "account",
    summary: "Set a secret for jobs of this account and below",
    body: SecretPut,
    answer: none,
    status: 204,
  },
  deleteSecret: {
    method: "DELETE",
    path: "/v1/accounts/:account/secrets/:secret",
    action: "secret.write",
    resource: "account",
    summary: "Remove a secret",
    answer: none,
    status: 204,
  },

  readFleet: {
    method: "GET",
    path: "/v1/fleet",
    action: "node.read",
    resource: "fleet",
    summary: "The whole fleet in little: each node's place and one letter for each of its GPUs",
    answer: FleetMap,
    status: 200,
    watch: true,
  },
  listNodes: {
    method: "GET",
    path: "/v1/nodes",
    action: "node.read",
    resource: "fleet",
    summary: "Nodes",
    answer: NodePage,
    status: 200,
    watch: true,
    query: Type.Object({ ...PageQuery, model: text(), mode: text(20) }, { additionalProperties: false }),
  },
  getNode: {
    method: "GET",
    path: "/v1/nodes/:node",
    action: "node.read",
    resource: "fleet",
    summary: "One node",
    answer: NodeShape,
    status: 200,
  },
  cordonNode: {
    method: "POST",
    path: "/v1/nodes/:node/cordon",
    action: "node.write",
    resource: "fleet",
    summary: "Take no new work",
    body: ReasonBody,
    answer: NodeShape,
    status: 200,
  },
  drainNode: {
    method: "POST",
    path: "/v1/nodes/:node/drain",
    action: "node.write",
    resource: "fleet",
    summary: "Empty a node: what runs may finish until the deadline, then is stopped and requeued",
    body: DrainBody,
    answer: NodeShape,
    status: 200,
  },
  maintainNode: {
    method: "POST",
    path: "/v1/nodes/:node/maintenance",
    action: "node.write",
    resource: "fleet",
    summary: "Take a node out of use from one time to another; jobs that would not be over by then start elsewhere",
    body: MaintenanceBody,
    answer: NodeShape,
    status: 200,
  },
  upNode: {
    method: "POST",
    path: "/v1/nodes/:node/up",
    action: "node.write",
    resource: "fleet",
    summary: "Take work again",
    body: empty,
    answer: NodeShape,
    status: 200,
  },
  downNode: {
    method: "POST",
    path: "/v1/nodes/:node/down",
    action: "node.write",
    resource: "fleet",
    summary: "Declare a node lost: nothing runs there any more",
    body: ReasonBody,
    answer: NodeShape,
    status: 200,
  },
  listGpus: {
    method: "GET",
    path: "/v1/gpus",
    action: "node.read",
    resource: "fleet",
    summary: "Devices",
    answer: GpuPage,
    status: 200,
    watch: true,
    query: Type.Object({ ...PageQuery, node: text(), model: text() }, { additionalProperties: false }),
  },

  getPolicy: {
    method: "GET",
    path: "/v1/policy",
    action: "policy.read",
    resource: "fleet",
    summary: "What the owner decided about taking back and planning",
    answer: PolicyShape,
    status: 200,
  },
  setPolicy: {
    method: "PUT",
    path: "/v1/policy",
    action: "policy.write",
    resource: "fleet",
    summary: "Decide about taking back and planning, for the whole fleet",
    body: PolicyPut,
    answer: PolicyShape,
    status: 200,
    edits: true,
  },

  listUsers: {
    method: "GET",
    path: "/v1/users",
    action: "user.read",
    resource: "visible",
    summary: "Users with a role where the caller may look",
    answer: UserPage,
    status: 200,
    watch: true,
    query: Type.Object(PageQuery, { additionalProperties: false }),
  },
  createUser: {
    method: "POST",
    path: "/v1/users",
    action: "user.write",
    resource: "in-account",
    summary: "Make a user, with a first role",
    body: UserCreate,
    answer: UserShape,
    status: 201,
    creates: true,
  },
  getUser: {
    method: "GET",
    path: "/v1/users/:user",
    action: "user.read",
    resource: "user",
    summary: "One user, by id or login name",
    answer: UserShape,
    status: 200,
  },
  disableUser: {
    method: "POST",
    path: "/v1/users/:user/disable",
    action: "user.write",
    resource: "user",
    summary: "Refuse this user from now on",
    body: empty,
    answer: UserShape,
    status: 200,
  },
  enableUser: {
    method: "POST",
    path: "/v1/users/:user/enable",
    action: "user.write",
    resource: "user",
    summary: "Accept this user again",
    body: empty,
    answer: UserShape,
    status: 200,
  },
  eraseUser: {
    method: "DELETE",
    path: "/v1/users/:user",
    action: "user.write",
    resource: "user",
    summary: "Disable a user and erase name, address and password",
    answer: none,
    status: 204,
  },
  setPassword: {
    method: "PUT",
    path: "/v1/users/:user/password",
    action: "user.write",
    resource: "user",
    summary: "Set a password; one's own always",
    body: PasswordPut,
    answer: none,
    status: 204,
  },

  listRoles: {
    method: "GET",
    path: "/v1/role-bindings",
    action: "role.read",
    resource: "visible",
    summary: "Who has which role where",
    answer: RoleBindingPage,
    status: 200,
    watch: true,
    query: Type.Object(
      { ...PageQuery, account: Type.Optional(AccountPath), user: text() },
      { additionalProperties: false },
    ),
  },
  bindRole: {
    method: "POST",
    path: "/v1/role-bindings",
    action: "role.write",
    resource: "in-account",
    summary: "Give a role at an account and below; never one above the caller's own",
    body: RoleBindBody,
    answer: RoleBindingShape,
    status: 201,
    creates: true,
  },
  unbindRole: {
    method: "DELETE",
    path: "/v1/role-bindings/:binding",
    action: "role.write",
    resource: "binding",
    summary: "Take a role away",
    answer: none,
    status: 204,
  },

  listTokens: {
    method: "GET",
    path: "/v1/tokens",
    action: "token.read",
    resource: "self",
    summary: "The caller's tokens",
    answer: TokenPage,
    status: 200,
    watch: true,
    query: Type.Object({ ...PageQuery, user: text() }, { additionalProperties: false }),
  },
  createToken: {
    method: "POST",
    path: "/v1/tokens",
    action: "token.write",
    resource: "self",
    summary: "Make a token; it is shown once",
    body: TokenCreate,
    answer: TokenCreated,
    status: 201,
    creates: true,
  },
  revokeToken: {
    method: "DELETE",
    path: "/v1/tokens/:token",
    action: "token.write",
    resource: "token",
    summary: "Refuse a token from now on",
    answer: none,
    status: 204,
  },

  readUsage: {
    method: "GET",
    path: "/v1/usage",
    action: "usage.read",
    resource: "visible",
    summary: "GPU time by account, user, job, GPU or node",
    answer: UsageReport,
    status: 200,
    query: Type.Object(
      {
        by: Type.Optional(Type.Enum(["account", "user", "job", "gpu", "node"], { default: "account" })),
        from: instant,
        to: instant,
        account: Type.Optional(AccountPath),
      },
      { additionalProperties: false },
    ),
  },
  listAudit: {
    method: "GET",
    path: "/v1/audit",
    action: "audit.read",
    resource: "visible",
    summary: "Who did what",
    answer: AuditPage,
    status: 200,
    watch: true,
    query: Type.Object(
      {
        ...PageQuery,
        account: Type.Optional(AccountPath),
        actor: text(),
        action: text(50),
        from: instant,
        to: instant,
      },
      { additionalProperties: false },
    ),
  },
  listEvents: {
    method: "GET",
    path: "/v1/events",
    action: "event.read",
    resource: "visible",
    summary: "What happened lately",
    answer: FeedPage,
    status: 200,
    watch: true,
    query: Type.Object(
      { ...PageQuery, job: text(), account: Type.Optional(AccountPath) },
      { additionalProperties: false },
    ),
  },
} as const satisfies Record<string, Route>;

/** Every route of /v1: the server answers exactly these, the CLI calls them, OpenAPI and the role matrix walk them. */
export const routes: { readonly [Id in keyof typeof table]: (typeof table)[Id] & Route } = table;
export type RouteId = keyof typeof table;
export type RouteOf<Id extends RouteId> = (typeof table)[Id];
export type BodyOf<Id extends RouteId> =
  RouteOf<Id> extends { body: infer Body extends TSchema } ? Static<Body> : undefined;
export type QueryOf<Id extends RouteId> =
  RouteOf<Id> extends { query: infer Query extends TSchema } ? Static<Query> : Record<string, never>;
export type AnswerOf<Id extends RouteId> =
  RouteOf<Id> extends { answer: infer Answer extends TSchema } ? Static<Answer> : never;
