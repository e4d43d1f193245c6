import type { Command } from "@tessera/core";
import { stranger } from "./audit.ts";

/** Whether a command takes more than the rights of a member: rules, people, money, machines, and going inside a job. */
const special: Readonly<Record<Command["kind"], boolean>> = {
  "job.submit": false,
  "job.cancel": false,
  "job.hold": false,
  "job.release": false,
  "job.suspend": false,
  "job.requeue": false,
  "job.edit": false,
  "job.label": false,
  "job.idle": false,
  "job.overspend": false,
  "job.enter": true,
  "account.create": true,
  "account.edit": true,
  "account.window": true,
  "account.delete": true,
  "node.register": false,
  "node.finding": false,
  "node.checked": false,
  "node.cordon": true,
  "node.drain": true,
  "node.maintenance": true,
  "node.up": true,
  "node.down": true,
  "repair.close": true,
  "engine.create": true,
  "engine.edit": true,
  "engine.cordon": true,
  "engine.up": true,
  "engine.delete": true,
  "engine.reach": false,
  "pool.create": true,
  "pool.edit": true,
  "pool.delete": true,
  "user.create": true,
  "user.disable": true,
  "user.enable": true,
  "user.erase": true,
  "password.set": true,
  "factor.set": false,
  "factor.remove": true,
  "role.bind": true,
  "role.unbind": true,
  "role.follow": true,
  "provider.set": true,
  "provider.remove": true,
  "scim.open": true,
  "scim.close": true,
  "exchange.set": true,
  "exchange.remove": true,
  "token.create": false,
  "token.revoke": false,
  "token.expiring": false,
  "secret.set": true,
  "secret.delete": true,
  "volume.create": true,
  "volume.delete": true,
  "volume.grant": true,
  "policy.set": true,
  "price.add": true,
  "price.foresee": false,
  "contract.set": true,
  "tenant.bill": true,
  "budget.set": true,
  "budget.drop": true,
  "budget.reach": false,
  "budget.foresee": false,
  "credit.reach": false,
  "invoice.issue": true,
  "ledger.post": true,
  "key.name": true,
  "keys.note": false,
  "privates.note": false,
  "anchor.set": true,
  "anchor.drop": true,
  "head.witness": true,
  "audit.note": false,
  "epoch.begin": true,
};

/** Everyone makes and revokes tokens of their own; that one was another user's is noted beside the command. */
const othersToken = ["token.create-for-other", "token.revoke-of-other"] as const;
export type OthersToken = (typeof othersToken)[number];

/** What the audit calls an act with special rights; the last is no command but a way in. */
export const privilegedActions: readonly string[] = [
  ...Object.entries(special).flatMap(([kind, isSpecial]) => (isSpecial ? kind : [])),
  ...othersToken,
  "session.break-glass",
];

/** Without special rights: the control plane itself, and an unknown caller. */
export const unprivilegedActors: readonly string[] = ["system", stranger];

/** Outcomes of an act that was done. */
export const doneOutcomes: readonly string[] = ["ok", "changed"];
