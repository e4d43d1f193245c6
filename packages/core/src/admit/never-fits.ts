import { type Among, domainRoomWhenEmpty, gpusThatFit, type MemberNeed, membersThatFit, needOf } from "../fleet/fit.ts";
import { holdsGang } from "../fleet/gang.ts";
import { type Refusal, refuse } from "../journal/refusal.ts";
import { type AccountNo, noAccount } from "../model/ids.ts";
import type { JobSpec } from "../model/job.ts";
import { memoryText, shortMemory } from "../model/memory.ts";
import type { FleetNode } from "../model/node.ts";
import { unitsPerGpu } from "../model/units.ts";
import { tenantOf } from "../quota/accounts.ts";
import { lowestCeiling } from "../quota/ceiling.ts";
import { coverFor } from "../quota/guarantee.ts";
import { nothingHeld } from "../quota/held.ts";
import { namesKept, unlentBeside, unlentUnits } from "../quota/lending.ts";
import type { WishOption } from "../state/indexes/wish.ts";
import { nodesAmong } from "../state/narrowing.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";
import { wishOf } from "../state/wish-of.ts";
import { neverAsPart } from "./never-as-part.ts";
import { noNodeAmong } from "./no-node.ts";
import { tooFewInAll, tooFewTogether } from "./too-few.ts";

/** Refuses a job that would wait for ever: not even the empty fleet, within its quota, could hold it. */
export function neverFits(state: ReadonlyState, account: AccountNo, spec: JobSpec): Refusal | undefined {
  const among = nodesAmong(state, account, spec);
  const none = among && noNodeAmong(state, account, spec, among);
  if (none !== undefined) return none;
  const { options } = wishOf(state, { spec });
  let first: Refusal | undefined;
  for (let choice = 0; choice < spec.gpus.length; choice++) {
    let known = false;
    for (const option of options) {
      if (option.choice !== choice || (option.model >= 0 && !state.fleet.hasModel(option.model))) continue;
      known = true;
      const refusal = neverFitsAs(state, account, spec, option, among);
      if (refusal === undefined) return undefined;
      first ??= refusal;
    }
    if (!known) first ??= noSuchModel(state, spec, choice);
  }
  return first;
}

/** The field that asks for these GPUs, and its value in the words of the job file. */
function askedIn({ gpus }: JobSpec, choice: number): readonly [field: string, text: string | number] {
  const { model, count, unitsEach, part } = gpus[choice]!;
  const amount = part?.profile ?? (part === undefined ? count : unitsEach / unitsPerGpu);
  return [
    gpus.length === 1 ? "gpus" : `gpus[${choice}]`,
    model === "*" ? amount : amount === 1 ? model : `${model}:${amount}`,
  ];
}

function noSuchModel(state: ReadonlyState, spec: JobSpec, choice: number): Refusal {
  const { model } = spec.gpus[choice]!;
  return refuse(
    "never-fits",
    ...askedIn(spec, choice),
    `${spec.engine === undefined ? "The fleet" : `The engine ${spec.engine}`} has no ${model === "*" ? "GPUs" : model}${spec.needs === undefined ? "" : ` with ${spec.needs.join(", ")}`}`,
    `write a count (8), MODEL:COUNT or a part (H100:0.25); models of the fleet: ${state.fleet.modelsPresent().join(", ") || "none"}`,
  );
}

function neverFitsAs(
  state: ReadonlyState,
  account: AccountNo,
  spec: JobSpec,
  option: WishOption,
  among: Among | undefined,
): Refusal | undefined {
  const { choice, model } = option;
  if (model >= 0) {
    const { units, memoryUnits } = option.demand;
    const ceiling = lowestCeiling(state, account, state.fleet.models[model]!);
    // One number bounds both dimensions of a GPU [U1].
    const most = Math.max(units, memoryUnits);
    if (ceiling !== undefined && most > ceiling.units) {
      const max = ceiling.units / unitsPerGpu;
      return refuse(
        "never-fits",
        ...askedIn(spec, choice),
        `needs ${most / unitsPerGpu} GPUs${units < most ? " by their memory" : ""}, and ${ceiling.account.path} may hold at most ${max}`,
        `ask for at most ${max} GPUs, or ask an administrator to raise the max`,
      );
    }
    const unlent = unlentBeside(state, account, option.demand, (name) => unitsOfAll(state, name), nothingHeld);
    if (unlent > 0 && coverFor(state, account, option.demand, nothingHeld) === noAccount) {
      const lent = mostLent(state, account, model) / unitsPerGpu;
      return refuse(
        "never-fits",
        ...askedIn(spec, choice),
        `needs ${units / unitsPerGpu} GPUs; no guarantee of its accounts covers that many, and other accounts lend at most ${lent}`,
        `ask for at most ${lent} GPUs, or ask an administrator for a larger guarantee`,
      );
    }
  }
  const fits = state.fleet.hasTrust(model) ? `${tenantOf(state, account).terms.trust} ${among?.key ?? ""}` : among?.key;
  if (option.fitsEmptyAt === state.fleet.composition && option.fitsEmptyAmong === fits) return undefined;
  const ask = spec.gpus[choice]!;
  const [field, text] = askedIn(spec, choice);
  const refusal =
    ask.part === undefined
      ? neverAsWhole(state, spec, needOf(spec, choice, model, among), field, text)
      : neverAsPart(state, { account, spec, choice, model, among }, field, text);
  if (refusal === undefined) {
    option.fitsEmptyAt = state.fleet.composition;
    option.fitsEmptyAmong = fits;
  }
  return refusal;
}

/** The GPU units of all models that a name matches. */
function unitsOfAll({ fleet }: ReadonlyState, name: string): number {
  if (name === "*") return fleet.totals.gpuUnits;
  let units = 0;
  for (let gpu = 0; gpu < fleet.gpus; gpu++) if (fleet.isOf(gpu, name)) units += fleet.gpuCapacity[gpu]!;
  return units;
}

/** The most units of a model that an account could borrow on an idle fleet. */
function mostLent(state: ReadonlyState, account: AccountNo, model: number): number {
  const each = namesKept(state, model).map((name) => {
    return unitsOfAll(state, name) - unlentUnits(state, account, nothingHeld, name);
  });
  return Math.max(0, Math.min(...each));
}

/** Refuses members with whole GPUs, or with none, that the empty fleet cannot hold as asked [P1, P2, P7]. */
function neverAsWhole(
  state: ReadonlyState,
  spec: JobSpec,
  need: MemberNeed,
  field: string,
  text: string | number,
): Refusal | undefined {
  const { min: members, apart } = spec.members;
  const rooms = domainRoomWhenEmpty(state.fleet, need, apart ? 1 : members);
  if (holdsGang(state.fleet, members, rooms, spec)) return undefined;
  if (spec.spread?.required && holdsGang(state.fleet, members, rooms, { ...spec, spread: undefined })) {
    const { level } = spec.spread;
    const why = `is too strict: fewer than ${members} places of this level have room for such a member`;
    return refuse(
      "never-fits",
      "spread",
      level,
      why,
      `write spread: ${level}? to prefer it only, or ask for fewer members`,
    );
  }
  const fit = rooms.inAll;
  if (fit >= members) return tooFewTogether(spec, members);
  return fit === 0 ? tooLarge(state, spec, need, field, text) : tooFewInAll(state.fleet, need, apart, members, fit);
}

/** One member is larger than every node: names the resource, and the most that one node has of it. */
function tooLarge(
  state: ReadonlyState,
  spec: JobSpec,
  need: MemberNeed,
  field: string,
  text: string | number,
): Refusal {
  const { fleet } = state;
  const nodes = fleet.nodes.filter((node) => node !== undefined && need.among?.has(node) !== false) as FleetNode[];
  const any = need.among === undefined ? "any node" : "any node that it may use";
  const fitsSome = (part: Partial<MemberNeed>) =>
    nodes.some((node) => membersThatFit(fleet, node, { ...need, ...part }, "every-node-empty", 1) > 0);
  const gpusOnly = { cpusMilli: 0, memoryMiB: 0 };
  const model = need.model < 0 ? "" : `${fleet.models[need.model]} `;
  if (!fitsSome({ ...gpusOnly, gpuMemoryMiB: 0 })) {
    const most = Math.max(0, ...nodes.map((node) => gpusThatFit(fleet, node, { ...need, gpuMemoryMiB: 0 }, true)));
    return refuse(
      "never-fits",
      field,
      text,
      `is more than ${any} has for one member`,
      `the largest node has ${most} ${model}${most === 1 ? "GPU" : "GPUs"}; ask for fewer on each of several nodes`,
    );
  }
  if (!fitsSome(gpusOnly)) {
    let most = 0;
    for (let gpu = 0; gpu < fleet.gpus; gpu++) {
      if (fleet.gpuModel[gpu] === need.model) most = Math.max(most, fleet.gpuMemoryMiB[gpu]!);
    }
    const why = `is more than ${any} has on ${need.gpus} ${model}${need.gpus === 1 ? "GPU" : "GPUs"}`;
    return refuse(
      "never-fits",
      "gpu_memory",
      memoryText(spec.gpuMemoryMiB),
      why,
      `ask for at most ${shortMemory(most)}`,
    );
  }
  // The GPUs fit, so cores or memory of the nodes that have them are too few.
  const able = nodes.filter((node) => membersThatFit(fleet, node, { ...need, ...gpusOnly }, "every-node-empty", 1) > 0);
  const beside = need.gpus === 0 ? "" : ` beside ${need.gpus} ${model}${need.gpus === 1 ? "GPU" : "GPUs"}`;
  const cores = Math.max(...able.map((node) => node.facts.cpusMilli)) / 1000;
  if (need.cpusMilli > cores * 1000) {
    const why = `is more cores than ${any} has${beside}`;
    return refuse("never-fits", "cpus", spec.cpusMilli / 1000, why, `ask for at most ${cores} cores`);
  }
  const memory = Math.max(
    ...able.filter((node) => node.facts.cpusMilli >= need.cpusMilli).map((node) => node.facts.memoryMiB),
  );
  const together = need.cpusMilli === 0 ? beside : `${beside} and ${spec.cpusMilli / 1000} cores`;
  const why = `is more memory than ${any} has${together}`;
  return refuse("never-fits", "memory", memoryText(spec.memoryMiB), why, `ask for at most ${shortMemory(memory)}`);
}
