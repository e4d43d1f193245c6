import { loadOf } from "../gpu/latency.ts";
import type { Newcomer, PartTenant } from "../gpu/seat.ts";
import type { AccountNo } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import { tenantOf } from "../quota/accounts.ts";
import type { ReadonlyState } from "./readonly-state.ts";

/** A job that parts are searched for; without a number it is not submitted yet. */
export type PartSeeker = Pick<Job, "account" | "spec"> & Partial<Pick<Job, "no" | "alone">>;

/** A job that asks for a part of a GPU, or holds one, as the jobs on the same GPU see it. */
export function newcomerOf(state: ReadonlyState, { account, spec, alone, no }: PartSeeker): Newcomer {
  const who = { ...asNeighbour(state, account), ...loadOf(spec) };
  return alone ? { ...who, alone: no } : who;
}

/** The tenant of an account as its neighbours on a GPU see it. */
export function asNeighbour(state: ReadonlyState, account: AccountNo): PartTenant {
  const { no, terms } = tenantOf(state, account);
  const migWith = (terms.allowMigWith ?? []).flatMap((path) => state.accountByPath.get(path)?.no ?? []);
  return { tenant: no, trust: terms.trust, group: terms.trustGroup ?? "", migWith };
}
