import type { AccountNo, UserId } from "../../model/ids.ts";
import type { Job, JobArray, JobSpec } from "../../model/job.ts";

/** What one tenant, or one user, has in the control plane's memory. */
export interface LoadCount {
  /** Jobs that wait, with the elements of arrays that are not made yet. */
  waiting: number;
  /** About what the specs of live jobs take; a spec that elements share counts once. */
  bytes: number;
  /** Members without GPUs that hold a seat; counted for tenants only. */
  cpuMembers: number;
}

const nothing: Readonly<LoadCount> = { waiting: 0, bytes: 0, cpuMembers: 0 };

/** How much memory each tenant and each user takes up with live jobs. Counts only, so that a limit costs no search. */
export class Load {
  readonly #tenants: (LoadCount | undefined)[] = [];
  readonly #users = new Map<UserId, LoadCount>();
  /** How many live jobs and arrays hold each spec. */
  readonly #holders = new Map<JobSpec, number>();

  ofTenant(tenant: AccountNo): Readonly<LoadCount> {
    return this.#tenants[tenant] ?? nothing;
  }

  ofUser(user: UserId): Readonly<LoadCount> {
    return this.#users.get(user) ?? nothing;
  }

  wait(tenant: AccountNo, user: UserId, jobs: number): void {
    this.#tenant(tenant).waiting += jobs;
    this.#user(user).waiting += jobs;
  }

  seat(tenant: AccountNo, cpuMembers: number): void {
    this.#tenant(tenant).cpuMembers += cpuMembers;
  }

  hold(tenant: AccountNo, { spec, user }: Pick<Job | JobArray, "spec" | "user">): void {
    const holders = this.#holders.get(spec) ?? 0;
    this.#holders.set(spec, holders + 1);
    if (holders === 0) this.#keep(tenant, user, bytesOf(spec));
  }

  letGo(tenant: AccountNo, { spec, user }: Pick<Job | JobArray, "spec" | "user">): void {
    const holders = this.#holders.get(spec) ?? 0;
    if (holders > 1) {
      this.#holders.set(spec, holders - 1);
      return;
    }
    this.#holders.delete(spec);
    this.#keep(tenant, user, -bytesOf(spec));
    const left = this.#users.get(user);
    if (left !== undefined && left.waiting === 0 && left.bytes === 0) this.#users.delete(user);
  }

  #keep(tenant: AccountNo, user: UserId, bytes: number): void {
    this.#tenant(tenant).bytes += bytes;
    this.#user(user).bytes += bytes;
  }

  #tenant(tenant: AccountNo): LoadCount {
    while (this.#tenants.length <= tenant) this.#tenants.push(undefined);
    this.#tenants[tenant] ??= { ...nothing };
    return this.#tenants[tenant];
  }

  #user(user: UserId): LoadCount {
    let count = this.#users.get(user);
    if (count === undefined) {
      count = { ...nothing };
      this.#users.set(user, count);
    }
    return count;
  }
}

/** A spec without anything long: its objects, and short texts. */
const plainBytes = 2_000;
const entryBytes = 100;

/** About what a spec takes in memory: of what its user can make long, the length. */
export function bytesOf(spec: JobSpec): number {
  const { run, setup = "", name, image = "", workdir = "", after, array, apartFrom = [], secrets } = spec;
  let bytes = plainBytes + name.length + run.length + setup.length + image.length + workdir.length;
  bytes += (after.length + spec.gpus.length) * entryBytes + (array?.indexes?.length ?? 0) * 8;
  for (const text of apartFrom) bytes += entryBytes + text.length;
  for (const text of secrets) bytes += entryBytes + text.length;
  for (const texts of [spec.env, spec.mounts, spec.outputs, spec.where, spec.labels])
    for (const key in texts) bytes += entryBytes + key.length + texts[key]!.length;
  return bytes;
}
