/** Everything one can be allowed to do. Each route names one; each role holds a set (server/src/access/policy.ts). */
export const actions = [
  "job.read",
  "job.submit",
  "job.control", // cancel, hold, release; members only their own
  "job.logs",
  "job.enter", // go inside: commands, a terminal, ports and pages; members only their own
  "account.read",
  "account.write",
  "node.read",
  "node.write",
  "engine.write", // lets work run in another place, with credentials of its own: the platform owner alone
  "provider.write", // says who may sign in, and which groups have which roles: the platform owner alone
  "pool.write",
  "policy.read",
  "policy.write",
  "user.read",
  "user.write",
  "role.read",
  "role.write",
  "token.read",
  "token.write",
  "secret.read",
  "secret.write",
  "volume.read",
  "volume.write", // opens a folder of the machines to jobs: the platform owner alone
  "volume.share", // says which jobs may mount a volume of the account
  "usage.read",
  "price.read",
  "price.write",
  "cost.read",
  "budget.read",
  "budget.write",
  "invoice.read",
  "ledger.read",
  "bill.write", // close periods, book payments and adjustments
  "audit.read",
  "event.read",
  "witness.write", // keep heads of another server here
  "self.read",
  "session.write", // sign in and out
  "metrics.read", // /metrics, each caller as far as its roles go
] as const;
export type Action = (typeof actions)[number];
