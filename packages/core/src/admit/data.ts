import { type Refusal, refuse, refuseAll } from "../journal/refusal.ts";
import type { Account } from "../model/account.ts";
import type { AccountNo, UserId } from "../model/ids.ts";
import type { JobSpec } from "../model/job.ts";
import type { DataAccess, DataGrant, Volume } from "../model/volume.ts";
import { accountOf, isInside, pathUp, tenantOf } from "../quota/accounts.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";
import { type MountSource, mountSource } from "../submit/mounts.ts";

type VolumeSource = Extract<MountSource, { volume: string }>;

/** A volume, and the account that has it. */
export interface HeldVolume {
  readonly holder: Account;
  readonly name: string;
  readonly volume: Volume;
}

/** What a grant asks of a job that the job does not meet, in the words of a refusal. */
interface Lack {
  readonly detail: string;
  readonly hint: string;
}

/** A job as grants look at it. */
type Mounter = Pick<JobSpec, "region" | "purpose">;

/**
 * The volume that a job of this account means: the nearest of the name going up, or one of the account that it names.
 * One of another branch is there only for accounts that a grant names: to all others it does not exist.
 */
export function volumeFor(
  state: ReadonlyState,
  account: AccountNo,
  { volume: name, of }: VolumeSource,
): HeldVolume | undefined {
  if (of === undefined) {
    for (const holder of pathUp(state, account)) {
      const volume = state.volumes.get(`${holder.no}/${name}`);
      if (volume !== undefined) return { holder, name, volume };
    }
    return undefined;
  }
  const holder = state.accountByPath.get(of);
  const volume = holder && state.volumes.get(`${holder.no}/${name}`);
  if (holder === undefined || volume === undefined) return undefined;
  return isInside(state, account, holder.no) || isNamed(state, account, volume) ? { holder, name, volume } : undefined;
}

function isNamed(state: ReadonlyState, account: AccountNo, { grants = [] }: Volume): boolean {
  return grants.some(({ accounts = [] }) => accounts.some((no) => isInside(state, account, no)));
}

/** How a job may mount a volume by its grants, or why it may not. The most that any grant gives counts. */
export function dataAccess(
  state: ReadonlyState,
  { holder, volume }: HeldVolume,
  account: AccountNo,
  user: UserId,
  spec: Mounter,
): DataAccess | Lack {
  const { grants, readOnly } = volume;
  if (grants === undefined) return readOnly ? "read" : "write";
  let given: DataAccess | undefined;
  /** Of the grant that lacks least: what to change to be let in. */
  let nearest: readonly Lack[] | undefined;
  for (const grant of grants) {
    const lacks = lacksOf(state, grant, holder, account, user, spec);
    if (lacks.length === 0) given = grant.access === "write" ? "write" : (given ?? "read");
    else if (nearest === undefined || lacks.length < nearest.length) nearest = lacks;
  }
  if (given !== undefined) return readOnly ? "read" : given;
  const [lack = { detail: "is granted to no job", hint: `ask an administrator of ${holder.path}` }] = nearest ?? [];
  return lack;
}

function lacksOf(
  state: ReadonlyState,
  grant: DataGrant,
  holder: Account,
  account: AccountNo,
  user: UserId,
  { region, purpose }: Mounter,
): Lack[] {
  const { accounts = [holder.no], roles, trust, regions, purposes } = grant;
  const ask = `ask an administrator of ${holder.path}`;
  const lacks: Lack[] = [];
  if (!accounts.some((no) => isInside(state, account, no)))
    lacks.push({ detail: `is not granted to jobs of ${accountOf(state, account).path}`, hint: ask });
  const held = state.users.get(user)?.bindings.filter((binding) => isInside(state, account, binding.account)) ?? [];
  if (roles !== undefined && !held.some(({ role }) => roles.includes(role)))
    lacks.push({ detail: `is granted only to users with the role ${roles.join(" or ")}`, hint: ask });
  const tenant = tenantOf(state, account);
  if (trust !== undefined && !trust.includes(tenant.terms.trust))
    lacks.push({ detail: `is granted only to tenants that are ${trust.join(" or ")}`, hint: ask });
  if (regions !== undefined && (region === undefined || !regions.includes(region)))
    lacks.push({ detail: `is granted only in ${oneOf("the region", regions)}`, hint: `add region: ${regions[0]}` });
  if (purposes !== undefined && (purpose === undefined || !purposes.includes(purpose)))
    lacks.push({
      detail: `is granted only for ${oneOf("the purpose", purposes)}`,
      hint: `add purpose: ${purposes[0]}`,
    });
  return lacks;
}

function oneOf(noun: string, names: readonly string[]): string {
  return names.length === 1 ? `${noun} ${names[0]}` : `${noun}s ${names.join(", ")}`;
}

/** The volumes that a job mounts, each with the access that it gets; what it may not, or what is gone, is left out. */
export function dataMounted(
  state: ReadonlyState,
  account: AccountNo,
  user: UserId,
  spec: JobSpec,
): { readonly at: string; readonly held: HeldVolume; readonly access: DataAccess }[] {
  return Object.entries(spec.mounts ?? {}).flatMap(([at, text]) => {
    const source = mountSource(text);
    if (source === undefined || !("volume" in source)) return [];
    const held = volumeFor(state, account, source);
    const access = held && dataAccess(state, held, account, user, spec);
    if (held === undefined || typeof access !== "string") return [];
    return [{ at, held, access: source.readOnly ? ("read" as const) : access }];
  });
}

/** Refuses a job that mounts what is not granted to it, before it waits. */
export function dataRefused(
  state: ReadonlyState,
  account: AccountNo,
  user: UserId,
  spec: JobSpec,
): Refusal | undefined {
  if (spec.mounts === undefined) return undefined;
  const refused: Refusal[] = [];
  for (const [at, text] of Object.entries(spec.mounts)) {
    const source = mountSource(text);
    const held = source && "volume" in source ? volumeFor(state, account, source) : undefined;
    const access = held && dataAccess(state, held, account, user, spec);
    if (access !== undefined && typeof access !== "string")
      refused.push(refuse("not-allowed", `mounts.${at}`, text, access.detail, access.hint));
  }
  return refuseAll(refused);
}
