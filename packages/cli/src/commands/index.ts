import type { Command } from "commander";
import type { Session } from "../session.ts";

interface CommandModule {
  define(command: Command, session: Session): void | Promise<void>;
  /** Instead of parsing, hands everything to another program. */
  pass?(args: readonly string[], session: Session): Promise<number>;
}

/** A command as the list of commands shows it; its code is loaded when it is named. */
export interface CommandEntry {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly group: string;
  readonly summary: string;
  readonly hidden?: true;
  readonly load: () => Promise<CommandModule>;
}

const jobs = "Jobs:";
const inside = "Inside a job:";
const fleet = "Fleet:";
const people = "Accounts and people:";
const books = "Books:";
const verbs =
  "Any noun (job, node, gpu, engine, pool, provider, account, quota, user, service-account, exchange, role, token, session, factor, secret, volume, event):";
const setup = "Setup:";

export const commands: readonly CommandEntry[] = [
  {
    name: "run",
    aliases: ["launch"],
    group: jobs,
    summary: "submit a job and follow it",
    load: () => import("./jobs/run.ts"),
  },
  {
    name: "apply",
    group: jobs,
    summary: "submit the jobs of a file that are not there yet",
    load: () => import("./jobs/apply.ts"),
  },
  { name: "ps", aliases: ["queue"], group: jobs, summary: "list jobs", load: () => import("./jobs/ps.ts") },
  { name: "logs", group: jobs, summary: "show the output of a job", load: () => import("./jobs/logs.ts") },
  { name: "outputs", group: jobs, summary: "list what a job kept", load: () => import("./jobs/outputs.ts") },
  { name: "cp", group: jobs, summary: "copy files of a job to this machine", load: () => import("./jobs/cp.ts") },
  {
    name: "exec",
    group: inside,
    summary: "run a command inside a running job",
    load: () => import("./inside/exec.ts"),
  },
  {
    name: "ssh",
    aliases: ["attach"],
    group: inside,
    summary: "open a shell inside a running job",
    load: () => import("./inside/ssh.ts"),
  },
  {
    name: "port-forward",
    group: inside,
    summary: "reach ports of a running job from this machine",
    load: () => import("./inside/port-forward.ts"),
  },
  {
    name: "open",
    group: inside,
    summary: "open the page of a running job in a browser",
    load: () => import("./inside/open.ts"),
  },
  {
    name: "shell",
    group: inside,
    summary: "start a job with a shell in it, and work there",
    load: () => import("./inside/shell.ts"),
  },
  {
    name: "notebook",
    group: inside,
    summary: "start JupyterLab as a job, and open it",
    load: () => import("./inside/notebook.ts"),
  },
  { name: "explain", group: jobs, summary: "say why a job waits", load: () => import("./jobs/explain.ts") },
  { name: "wait", group: jobs, summary: "wait until jobs run or have ended", load: () => import("./jobs/wait.ts") },
  {
    name: "cancel",
    aliases: ["stop"],
    group: jobs,
    summary: "stop jobs for good",
    load: () => import("./jobs/cancel.ts"),
  },
  { name: "hold", group: jobs, summary: "keep waiting jobs from starting", load: () => import("./jobs/hold.ts") },
  { name: "release", group: jobs, summary: "let held jobs start", load: () => import("./jobs/release.ts") },
  {
    name: "suspend",
    group: jobs,
    summary: "let running jobs save and leave, and hold them",
    load: () => import("./jobs/suspend.ts"),
  },
  { name: "resume", group: jobs, summary: "let suspended jobs go on", load: () => import("./jobs/resume.ts") },
  {
    name: "requeue",
    group: jobs,
    summary: "put running jobs back into the queue",
    load: () => import("./jobs/requeue.ts"),
  },
  {
    name: "rerun",
    group: jobs,
    summary: "submit a job again, or the failed elements of an array",
    load: () => import("./jobs/rerun.ts"),
  },

  { name: "gpus", group: fleet, summary: "show which GPUs are free", load: () => import("./fleet/gpus.ts") },
  {
    name: "top",
    group: fleet,
    summary: "show how busy GPUs are, by job, user, account or GPU",
    load: () => import("./fleet/top.ts"),
  },
  {
    name: "alarms",
    group: fleet,
    summary: "show what is wrong with the server's machine",
    load: () => import("./fleet/alarms.ts"),
  },
  {
    name: "node",
    aliases: ["nodes"],
    group: fleet,
    summary: "get, cordon, drain, up, down, check, health",
    load: () => import("./fleet/node.ts"),
  },
  {
    name: "repairs",
    aliases: ["repair"],
    group: fleet,
    summary: "show nodes that are out of use because of a fault, and close repairs",
    load: () => import("./fleet/repairs.ts"),
  },
  {
    name: "engine",
    aliases: ["engines"],
    group: fleet,
    summary: "get, create, edit, cordon, up, delete: what runs jobs",
    load: () => import("./fleet/engine.ts"),
  },
  {
    name: "pool",
    aliases: ["pools"],
    group: fleet,
    summary: "get, create, edit, delete: nodes by label, with the accounts that may use them and their price",
    load: () => import("./fleet/pool.ts"),
  },
  {
    name: "policy",
    group: fleet,
    summary: "get, set: rules for eviction and planning",
    load: () => import("./fleet/policy.ts"),
  },
  {
    name: "anchor",
    group: fleet,
    summary: "list, add, remove, witnessed: where heads of the history are kept",
    load: () => import("./fleet/anchor.ts"),
  },
  {
    name: "key",
    aliases: ["keys"],
    group: fleet,
    summary: "get, rotate: data keys of tenants and of the platform",
    load: () => import("./fleet/key.ts"),
  },
  {
    name: "what-if",
    group: fleet,
    summary: "replay the past under another quota, policy or fleet",
    load: () => import("./fleet/what-if.ts"),
  },

  {
    name: "account",
    aliases: ["accounts"],
    group: people,
    summary: "get, create, edit, delete, tree",
    load: () => import("./people/account.ts"),
  },
  {
    name: "quota",
    aliases: ["quotas"],
    group: people,
    summary: "accounts with their guarantee and use",
    load: () => import("./people/quota.ts"),
  },
  {
    name: "user",
    aliases: ["users"],
    group: people,
    summary: "get, create, disable, enable, erase, passwd",
    load: () => import("./people/user.ts"),
  },
  {
    name: "service-account",
    aliases: ["sa", "service-accounts"],
    group: people,
    summary: "get, create, disable, enable, erase: users for programs, which cannot sign in",
    load: () => import("./people/service-account.ts"),
  },
  {
    name: "exchange",
    aliases: ["exchanges"],
    group: people,
    summary: "get, add, preview, remove: tokens of CI systems and clusters that become short tokens here",
    load: () => import("./people/exchange.ts"),
  },
  {
    name: "provider",
    aliases: ["providers"],
    group: people,
    summary: "get, add, preview, link, remove: providers with which people sign in, and what their groups may do",
    load: () => import("./people/provider.ts"),
  },
  {
    name: "role",
    aliases: ["roles"],
    group: people,
    summary: "get, bind, unbind",
    load: () => import("./people/role.ts"),
  },
  {
    name: "token",
    aliases: ["tokens"],
    group: people,
    summary: "get, create, revoke",
    load: () => import("./people/token.ts"),
  },
  {
    name: "session",
    aliases: ["sessions"],
    group: people,
    summary: "get, name, revoke: browsers and terminals in which you are signed in",
    load: () => import("./people/session.ts"),
  },
  {
    name: "factor",
    aliases: ["factors"],
    group: people,
    summary: "get, add, remove, codes: your second factors",
    load: () => import("./people/factor.ts"),
  },
  {
    name: "secret",
    aliases: ["secrets"],
    group: people,
    summary: "get, set, delete",
    load: () => import("./people/secret.ts"),
  },
  {
    name: "volume",
    aliases: ["volumes"],
    group: people,
    summary: "get, create, delete",
    load: () => import("./people/volume.ts"),
  },

  { name: "cost", group: books, summary: "show what GPU time has cost", load: () => import("./books/cost.ts") },
  {
    name: "estimate",
    group: books,
    summary: "say what a job would cost before it runs",
    load: () => import("./books/estimate.ts"),
  },
  { name: "price", group: books, summary: "show, preview, add, contract", load: () => import("./books/price.ts") },
  { name: "budget", group: books, summary: "get, set, delete", load: () => import("./books/budget.ts") },
  {
    name: "billing",
    group: books,
    summary: "get, set: what tenants owe, and their credit",
    load: () => import("./books/billing.ts"),
  },
  {
    name: "invoice",
    group: books,
    summary: "list, show, explain, verify, extract, head, focus, page, close",
    load: () => import("./books/invoice.ts"),
  },
  { name: "ledger", group: books, summary: "get, post", load: () => import("./books/ledger.ts") },
  {
    name: "usage",
    group: books,
    summary: "GPU time by account, user, job, GPU or node",
    load: () => import("./books/usage.ts"),
  },
  {
    name: "waste",
    group: books,
    summary: "where the capacity went, in GPU time and money",
    load: () => import("./books/waste.ts"),
  },
  { name: "events", group: books, summary: "recent events", load: () => import("./books/events.ts") },
  { name: "audit", group: books, summary: "who did what", load: () => import("./books/audit.ts") },

  { name: "get", group: verbs, summary: "list things, or show those named", load: () => import("./any-noun.ts") },
  { name: "describe", group: verbs, summary: "show everything about one", load: () => import("./any-noun.ts") },
  { name: "create", group: verbs, summary: "create one", load: () => import("./any-noun.ts") },
  { name: "edit", group: verbs, summary: "change one", load: () => import("./any-noun.ts") },
  { name: "delete", group: verbs, summary: "delete one", load: () => import("./any-noun.ts") },

  {
    name: "head",
    group: setup,
    summary: "show, forget: what is remembered of a server's history",
    load: () => import("./setup/head.ts"),
  },
  { name: "server", group: setup, summary: "run the control plane here", load: () => import("./setup/server.ts") },
  {
    name: "helper",
    group: setup,
    summary: "run the root helper of a control plane without privileges",
    load: () => import("./setup/helper.ts"),
  },
  {
    name: "admin",
    group: setup,
    summary: "verify, rebuild, backup, restore, break-glass, journal",
    load: () => import("./setup/admin.ts"),
  },
  { name: "login", group: setup, summary: "remember a server and a token", load: () => import("./setup/login.ts") },
  { name: "logout", group: setup, summary: "forget a token", load: () => import("./setup/logout.ts") },
  { name: "whoami", group: setup, summary: "show which user you are", load: () => import("./setup/whoami.ts") },
  {
    name: "config",
    group: setup,
    summary: "contexts: get-contexts, use-context, set, view",
    load: () => import("./setup/config.ts"),
  },
  {
    name: "completion",
    group: setup,
    summary: "print a completion script for your shell",
    load: () => import("./setup/completion.ts"),
  },
  { name: "version", group: setup, summary: "show the version", load: () => import("./setup/version.ts") },

  {
    name: "job",
    aliases: ["jobs"],
    group: jobs,
    hidden: true,
    summary: "get, describe",
    load: () => import("./jobs/job.ts"),
  },
  { name: "gpu", group: fleet, hidden: true, summary: "get, describe", load: () => import("./fleet/gpu.ts") },
  { name: "event", group: books, hidden: true, summary: "get, describe", load: () => import("./books/event.ts") },
  {
    name: "__complete",
    group: setup,
    hidden: true,
    summary: "answer a completion script",
    load: () => import("./setup/complete.ts"),
  },
];

export function commandNamed(word: string): CommandEntry | undefined {
  return commands.find(({ name, aliases }) => name === word || aliases?.includes(word));
}
