import {
  type AuditNote,
  accountOf,
  type Command,
  type CommandInput,
  canonicalJson,
  dataMounted,
  findingName,
  type JobPlaced,
  type KeyChange,
  type ReadonlyState,
  type UserId,
} from "@tessera/core";
import type { AuditRow } from "../../store/port.ts";

/** The audit record of a command that had an effect; the input in the journal is its proof. */
export function auditOf(input: CommandInput, state: ReadonlyState, at: number, seq: number, index: number): AuditRow {
  const { command, actor, request, change } = input;
  const { target, account, detail } = describe(command, state);
  return {
    seq,
    index,
    at,
    actor: actor.user,
    token: actor.token ?? null,
    request,
    action: command.kind,
    target,
    account,
    outcome: "ok",
    detail: change ?? detail,
    ...(actor.origin !== undefined && { origin: actor.origin }),
  };
}

/** The records of what changed nothing. `places` inputs share the journal row: their numbers leave room for each other. */
export function auditOfNotes(
  notes: readonly AuditNote[],
  at: number,
  seq: number,
  first: number,
  places: number,
): AuditRow[] {
  return notes.map(({ user, token, origin, ...note }, n) => ({
    ...note,
    seq,
    index: first + n * places,
    at,
    actor: user ?? stranger,
    token: token ?? null,
    ...(origin !== undefined && { origin }),
  }));
}

/**
 * A record for each volume with grants that the job mounts as it is placed, in the audit of the account whose data it is.
 * They come of no command, so they are counted down from -1: the numbers of commands and notes begin at 0.
 */
export function auditOfMounts(
  { job: no, attempt, at }: JobPlaced,
  state: ReadonlyState,
  seq: number,
  before: number,
): AuditRow[] {
  const { id, account, user, spec } = state.jobs.get(no)!;
  if (spec.mounts === undefined) return [];
  const guarded = dataMounted(state, account, user, spec).filter(({ held }) => held.volume.grants !== undefined);
  const purpose = spec.purpose === undefined ? "" : ` for ${spec.purpose}`;
  return guarded.map(({ held, access }, n) => ({
    seq,
    index: -1 - before - n,
    at,
    actor: user,
    token: null,
    request: "",
    action: dataMount,
    target: held.name,
    account: held.holder.path,
    outcome: access === "write" ? "changed" : "read",
    detail: `${access} by ${id} attempt ${attempt} of ${accountOf(state, account).path}${purpose}`,
  }));
}

/** The action of a job that is shown data. */
export const dataMount = "data.mount";

/** The actor of a request without a valid token. */
export const stranger = "stranger";

function ownersOf(changes: readonly KeyChange[]): string {
  return [...new Set(changes.map(({ of }) => of))].join(" ").slice(0, 500);
}

function changeText({ key, of, is, by }: KeyChange): string {
  return `key ${key} of ${of} ${is}${by === undefined ? "" : ` by ${by} on the machine`}`;
}

/** What a command was about. The state is the one after it. */
function describe(command: Command, state: ReadonlyState): { target: string; account: string; detail: string } {
  switch (command.kind) {
    case "job.submit":
      return { target: command.id, account: command.account, detail: command.spec.name };
    case "job.cancel":
    case "job.hold":
    case "job.release":
    case "job.suspend":
    case "job.requeue":
    case "job.edit":
    case "job.overspend":
    case "job.idle":
      return { target: command.job, account: "", detail: "" };
    case "job.label":
      return { target: command.job, account: "", detail: labelText(command.labels) };
    case "job.enter":
      return { target: command.job, account: "", detail: `${command.how} rank ${command.rank}: ${command.what}` };
    case "account.create":
    case "account.edit":
      return { target: command.path, account: command.path, detail: canonicalJson(command.terms.quota) };
    case "account.window":
      return { target: command.path, account: command.path, detail: canonicalJson(command.window) };
    case "account.delete":
      return { target: command.path, account: command.path, detail: "" };
    case "node.register":
      return {
        target: command.nodes
          .map((node) => node.name)
          .join(" ")
          .slice(0, 500),
        account: "",
        detail: `${command.nodes.length} nodes`,
      };
    case "node.cordon":
    case "node.drain":
    case "node.down":
      return { target: command.node, account: "", detail: command.reason };
    case "node.maintenance":
      return { target: command.node, account: "", detail: command.window?.reason ?? "taken back" };
    case "node.finding":
      return { target: command.node, account: "", detail: `${findingName(command)}: ${command.text}`.slice(0, 500) };
    case "node.checked": {
      const results = command.results.map(({ name, result }) => `${name} ${result}`);
      return { target: command.node, account: "", detail: results.join(", ").slice(0, 500) };
    }
    case "repair.close":
      return { target: String(command.repair), account: "", detail: command.reason };
    case "node.up":
      return { target: command.node, account: "", detail: "" };
    case "engine.create":
    case "engine.edit":
      return { target: command.name, account: "", detail: canonicalJson(command.terms) };
    case "engine.cordon":
      return { target: command.name, account: "", detail: command.reason };
    case "engine.up":
    case "engine.delete":
      return { target: command.name, account: "", detail: "" };
    case "engine.reach":
      return { target: command.name, account: "", detail: command.away ?? "within reach" };
    case "pool.create":
    case "pool.edit":
      return { target: command.name, account: "", detail: canonicalJson(command.terms) };
    case "pool.delete":
      return { target: command.name, account: "", detail: "" };
    case "user.create":
    case "user.disable":
    case "user.enable":
    case "user.erase":
    case "password.set":
    case "factor.remove":
      return { target: command.user, account: accountOfUser(state, command.user), detail: "" };
    case "factor.set":
      return { target: command.user, account: accountOfUser(state, command.user), detail: command.what };
    case "provider.set":
      return { target: command.name, account: "", detail: canonicalJson(command.terms) };
    case "provider.remove":
    case "exchange.remove":
      return { target: command.name, account: "", detail: "" };
    case "scim.open":
      return { target: command.provider, account: "", detail: command.id };
    case "scim.close":
      return { target: command.provider, account: "", detail: command.token };
    case "exchange.set":
      return { target: command.name, account: "", detail: canonicalJson(command.terms).slice(0, 500) };
    case "role.follow": {
      const given = command.bindings.map(({ role, account }) => `${role} at ${account || "the platform"}`);
      const detail = `${command.from}: ${given.join(", ") || "none"}`.slice(0, 500);
      return { target: command.user, account: accountOfUser(state, command.user), detail };
    }
    case "role.bind":
    case "role.unbind":
      return { target: command.user, account: command.account, detail: command.role };
    case "token.create":
      return {
        target: command.id,
        account: accountOfUser(state, command.user),
        detail: `${command.user} ${command.label}`.trim(),
      };
    case "token.revoke":
      return { target: command.token, account: "", detail: "" };
    case "token.expiring": {
      const token = state.tokens.get(command.token);
      const account = token === undefined ? "" : accountOfUser(state, token.user);
      return { target: command.token, account, detail: "expires within days" };
    }
    case "secret.set":
    case "secret.delete":
      return { target: command.name, account: command.account, detail: "" };
    case "volume.create":
      return {
        target: command.name,
        account: command.account,
        detail: `${command.path}${command.readOnly ? " read-only" : ""}`,
      };
    case "volume.delete":
      return { target: command.name, account: command.account, detail: "" };
    case "volume.grant": {
      const detail = command.grants === undefined ? "its account and below" : canonicalJson(command.grants);
      return { target: command.name, account: command.account, detail: detail.slice(0, 500) };
    }
    case "policy.set":
      return { target: "policy", account: "", detail: canonicalJson(command.policy) };
    case "price.add":
      return { target: command.version.id, account: "", detail: `${command.version.gpus.length} models` };
    case "price.foresee":
      return { target: "prices", account: "", detail: `${command.ahead.windows.length} times of day` };
    case "contract.set":
      return { target: command.contract.tenant, account: command.contract.tenant, detail: "" };
    case "tenant.bill":
      return { target: command.tenant, account: command.tenant, detail: command.mode };
    case "budget.set": {
      const { account, limitMicros, stop } = command.budget;
      return { target: account, account, detail: `${limitMicros} ${stop}` };
    }
    case "budget.drop":
      return { target: command.account, account: command.account, detail: "" };
    case "budget.reach":
      return { target: command.account, account: command.account, detail: `${command.perMille} ${command.stop}` };
    case "budget.foresee":
      return { target: command.account, account: command.account, detail: `${command.forecastMicros} ${command.over}` };
    case "credit.reach":
      return { target: command.tenant, account: command.tenant, detail: `${command.owedMicros} ${command.reached}` };
    case "invoice.issue":
      return { target: command.period.label, account: command.tenant, detail: command.totalMicros };
    case "ledger.post":
      return { target: command.entry, account: command.tenant, detail: `${command.micros} ${command.memo}` };
    case "key.name":
      return { target: "signing key", account: "", detail: command.publicKey };
    case "privates.note":
      return { target: "private rows", account: "", detail: "covered" };
    case "keys.note":
      return { target: ownersOf(command.changes), account: "", detail: command.changes.map(changeText).join(", ") };
    case "anchor.set":
      return { target: command.id, account: "", detail: `${command.anchor.kind} ${command.anchor.to}` };
    case "anchor.drop":
      return { target: command.id, account: "", detail: "" };
    case "head.witness":
      return { target: command.origin, account: "", detail: command.line };
    case "audit.note":
      return { target: "", account: "", detail: "" };
    case "epoch.begin":
      return { target: String(state.epoch), account: "", detail: command.reason };
  }
}

/** The lowest account that contains all of a user's roles: its administrators may read what is done to the user. */
export function accountOfUser(state: ReadonlyState, id: UserId): string {
  const user = state.users.get(id);
  const at = (user?.bindings ?? []).map((binding) => binding.account);
  // A service account is its account's, also without a role; what it did there outlives the account.
  const held = user?.service === undefined ? at : [...at, user.service];
  const paths = held.flatMap((account) => state.accounts[account]?.path ?? []);
  if (paths.length === 0) return "";
  let common = paths[0]!.split("/");
  for (const path of paths) {
    const parts = path.split("/");
    const differs = common.findIndex((part, i) => part !== parts[i]);
    if (differs >= 0) common = common.slice(0, differs);
  }
  return common.join("/");
}

function labelText(labels: { readonly [key: string]: string | null }): string {
  return Object.entries(labels)
    .map(([key, value]) => (value === null ? `-${key}` : `${key}=${value}`))
    .join(", ");
}
