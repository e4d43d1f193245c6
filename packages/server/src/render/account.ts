import {
  type Account,
  type AccountTerms,
  accountOf,
  borrowedOf,
  durationText,
  type GpuAmounts,
  type Limits,
  modelMatches,
  overcommitted,
  pastUnits,
  type QuotaWindow,
  type ReadonlyState,
  type SizeClasses,
  tenantOf,
} from "@tessera/core";
import type { Account as WireAccount } from "@tessera/wire";
import type { Seal } from "../access/seal.ts";
import { gpuHourUnitMs, gpusOf, timestamp } from "./quantities.ts";
import { idleText } from "./spec.ts";

/** Terms in the words of the request. */
function renderTerms({
  quota,
  limits,
  allowed,
  trust,
  trustGroup,
  allowMigWith,
  historyHalfLifeMs,
  order,
  quantumMs,
  idle,
  overcommit,
  factor,
}: AccountTerms) {
  const milli = (value: number | undefined) => (value === undefined ? undefined : value / 1000);
  return {
    guarantee: renderAmounts(quota.guarantee),
    ...(quota.max !== undefined && { max: renderAmounts(quota.max) }),
    ...(quota.lendable !== undefined && { lendable: renderAmounts(quota.lendable) }),
    ...(quota.guaranteeSizes !== undefined && { guaranteeSizes: quota.guaranteeSizes }),
    ...(quota.maxSizes !== undefined && { maxSizes: quota.maxSizes }),
    weight: quota.weight,
    cpus: present({ guarantee: milli(quota.guaranteeCpusMilli), max: milli(quota.maxCpusMilli) }),
    memoryMiB: present({ guarantee: quota.guaranteeMemoryMiB, max: quota.maxMemoryMiB }),
    trust,
    ...(trustGroup !== undefined && { trustGroup }),
    ...(allowMigWith !== undefined && { allowMigWith: [...allowMigWith] }),
    ...(historyHalfLifeMs !== undefined && { historyHalfLife: durationText(historyHalfLifeMs) }),
    ...(factor && { factor }),
    order: order ?? "age",
    ...(quantumMs !== undefined && { quantum: durationText(quantumMs) }),
    ...(idle !== undefined && { idle: { ...idleText(idle), ...(idle.relax && { relax: true as const }) } }),
    overcommit,
    limits: renderLimits(limits),
    allowed: { ...allowed },
  };
}

function present(range: { guarantee: number | undefined; max: number | undefined }) {
  const { guarantee, max } = range;
  return { ...(guarantee !== undefined && { guarantee }), ...(max !== undefined && { max }) };
}

/** A window in the words of the request. */
function renderWindow({ from, to, zone, state, refused, quota }: QuotaWindow) {
  const amounts = (given: GpuAmounts | null | undefined) => (given ? renderAmounts(given) : given);
  const { guarantee, max, lendable, weight } = quota;
  const milli = (value: number | null | undefined) => (value ? value / 1000 : value);
  const shown = {
    guarantee: quota.guaranteeSizes ?? amounts(guarantee),
    max: quota.maxSizes ?? amounts(max),
    lendable: amounts(lendable),
    weight,
    cpusGuarantee: milli(quota.guaranteeCpusMilli),
    cpusMax: milli(quota.maxCpusMilli),
    memoryMiBGuarantee: quota.guaranteeMemoryMiB,
    memoryMiBMax: quota.maxMemoryMiB,
  };
  return {
    from: timestamp(from),
    to: timestamp(to),
    ...(zone !== undefined && { tz: zone }),
    state,
    ...(refused !== undefined && { refused }),
    quota: Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== undefined)),
  };
}

export function accountTag(seal: Seal, account: Pick<Account, "id" | "revision">): string {
  return seal.tag(`account ${account.id}`, account.revision);
}

/** GPUs that an account holds beyond its guarantee. */
export function borrowedGpus(state: ReadonlyState, account: Account): number {
  return gpusOf(borrowedOf(state, account, state.usage[account.no]!).units);
}

export function renderAccount(state: ReadonlyState, seal: Seal, account: Account): WireAccount {
  const usage = state.usage[account.no]!;
  const byModel: Record<string, number> = {};
  const { guarantee } = account.terms.quota;
  for (const [no, units] of usage.byModel.entries()) {
    if (units === 0) continue;
    const model = state.fleet.models[no]!; // each engine has its own entry for a model
    byModel[model] = (byModel[model] ?? 0) + gpusOf(units);
  }
  return {
    id: account.id,
    path: account.path,
    tenant: tenantOf(state, account.no).path,
    ...renderTerms(account.terms),
    ...(state.policy.sizes !== undefined && { guaranteeHolds: holdsOf(guarantee, state.policy.sizes) }),
    overcommitted: overcommitted(state, account),
    ...(account.windows !== undefined && { windows: account.windows.map(renderWindow) }),
    used: {
      gpus: gpusOf(usage.units),
      byModel,
      borrowed: borrowedGpus(state, account),
      ...(state.history.has(account.no) && {
        borrowedBefore: Math.round(gpusOf(pastUnits(state, account.no, state.clock)) * 1000) / 1000,
      }),
      cpus: usage.cpusMilli / 1000,
      memoryMiB: usage.memoryMiB,
    },
    ...aboveMax(state, account),
    liveJobs: liveJobsOf(state, account),
    revision: accountTag(seal, account),
  };
}

/** A max that was lowered evicts nothing: what is held above it is said, so that nobody wonders. */
export function aboveMax({ usage, fleet }: ReadonlyState, { no, terms }: Account): { aboveMax?: string[] } {
  const { max = {}, maxCpusMilli, maxMemoryMiB } = terms.quota;
  const { units, byModel, cpusMilli, memoryMiB } = usage[no]!;
  const heldOf = (name: string) => {
    if (name === "*") return units;
    let held = 0;
    for (const [model, of] of byModel.entries()) if (modelMatches(name, fleet.models[model]!)) held += of;
    return held;
  };
  const above: string[] = [];
  const say = (held: number, most: number | undefined, of: string) => {
    if (most === undefined || held <= most) return;
    const over = Math.round((held - most) * 1000) / 1000;
    above.push(
      `${held} ${of} are held, ${over} above the max of ${most}: they stay until their jobs end, and no other job starts until then`,
    );
  };
  for (const [name, most] of Object.entries(max))
    say(gpusOf(heldOf(name)), gpusOf(most), name === "*" ? "GPUs" : `${name} GPUs`);
  say(cpusMilli / 1000, maxCpusMilli && maxCpusMilli / 1000, "CPU cores");
  say(memoryMiB, maxMemoryMiB, "MiB of memory");
  return above.length === 0 ? {} : { aboveMax: above };
}

/** How many of each size a guarantee would hold, of that size alone. */
function holdsOf(guarantee: GpuAmounts, sizes: SizeClasses): Record<string, number> {
  const held = Object.entries(sizes).map(([name, { model, units }]) => {
    let of = 0;
    for (const key in guarantee) if (key === "*" || model === "*" || modelMatches(key, model)) of += guarantee[key]!;
    return [name, Math.floor(of / units)];
  });
  return Object.fromEntries(held);
}

function liveJobsOf(state: ReadonlyState, account: Account): number {
  return account.children.reduce((sum, child) => sum + liveJobsOf(state, accountOf(state, child)), account.liveJobs);
}

/** A new account as its create answers it, whatever has become of it since. */
export function accountCreated(seal: Seal, id: string, path: string, terms: AccountTerms): WireAccount {
  return {
    id,
    path,
    tenant: path.split("/")[0]!,
    ...renderTerms(terms),
    overcommitted: false,
    used: { gpus: 0, byModel: {}, borrowed: 0, cpus: 0, memoryMiB: 0 },
    liveJobs: 0,
    revision: accountTag(seal, { id: id as Account["id"], revision: 1 }),
  };
}

/** Units by model → GPUs by model. */
function renderAmounts(amounts: GpuAmounts): Record<string, number> {
  return Object.fromEntries(Object.entries(amounts).map(([model, units]) => [model, gpusOf(units)]));
}

/** Limits in the words of the request. */
function renderLimits(limits: Limits): Record<string, unknown> {
  return {
    ...(limits.gpusPerJobMax !== undefined && { gpusPerJob: limits.gpusPerJobMax }),
    ...(limits.runMsMax !== undefined && { runTime: durationText(limits.runMsMax) }),
    ...(limits.runMsDefault !== undefined && { defaultTime: durationText(limits.runMsDefault) }),
    ...(limits.waitingJobsPerUserMax !== undefined && { waitingJobsPerUser: limits.waitingJobsPerUserMax }),
    ...(limits.gpusPerUserMax !== undefined && { gpusPerUser: limits.gpusPerUserMax }),
    ...(limits.waitingJobsMax !== undefined && { waitingJobs: limits.waitingJobsMax }),
    ...(limits.jobFilesMiBMax !== undefined && { jobFilesMiB: limits.jobFilesMiBMax }),
    ...(limits.cpuMembersMax !== undefined && { cpuMembers: limits.cpuMembersMax }),
    ...(limits.scratchMiBMax !== undefined && { scratchMiB: limits.scratchMiBMax }),
    ...(limits.checkpointMiBMax !== undefined && { checkpointMiB: limits.checkpointMiBMax }),
    ...(limits.outputsMiBMax !== undefined && { outputsMiB: limits.outputsMiBMax }),
    ...(limits.outputsKeptMs !== undefined && { outputsKept: durationText(limits.outputsKeptMs) }),
    ...(limits.egress !== undefined && { egress: limits.egress }),
    ...(limits.gpuTime !== undefined && {
      gpuHours: { max: limits.gpuTime.unitMsMax / gpuHourUnitMs, every: durationText(limits.gpuTime.everyMs) },
    }),
  };
}
