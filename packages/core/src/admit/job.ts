import { gpusThatFit, type MemberNeed, membersThatFit, needOf, roomsWhenEmpty } from "../fleet/fit.ts";
import { holdsGang } from "../fleet/gang.ts";
import { Rooms } from "../fleet/rooms.ts";
import { loadOf } from "../gpu/latency.ts";
import { type Newcomer, type Occupant, type PartAsk, seatPart } from "../gpu/seat.ts";
import { type Refusal, refuse } from "../journal/refusal.ts";
import { modelMatches } from "../model/gpu-name.ts";
import { type AccountNo, noAccount, type UserId } from "../model/ids.ts";
import type { GpuAsk, JobSpec } from "../model/job.ts";
import type { FleetNode } from "../model/node.ts";
import { unitsPerGpu } from "../model/units.ts";
import { pathUp } from "../quota/accounts.ts";
import { lowestCeiling } from "../quota/ceiling.ts";
import { anybody } from "../quota/demand.ts";
import { coverFor } from "../quota/guarantee.ts";
import { nothingHeld, userCount } from "../quota/held.ts";
import { namesKept, unlentBeside, unlentUnits } from "../quota/lending.ts";
import { arraySize } from "../state/apply/new-job.ts";
import type { WishOption } from "../state/indexes/wish.ts";
import type { State } from "../state/state.ts";
import { wishOf } from "../state/wish-of.ts";

/** May this job compete at all? Undefined = yes; else what forbids it for ever, or for as long as its user waits. */
export function admitJob(state: State, account: AccountNo, user: UserId, spec: JobSpec): Refusal | undefined {
  return ruledOut(state, account, spec) ?? overLimits(state, account, user, spec) ?? neverFits(state, account, spec);
}

/** Whether a waiting job might ask for this instead; how many jobs its user has waiting does not change by it. */
export function mayAsk(state: State, account: AccountNo, spec: JobSpec): boolean {
  return ruledOut(state, account, spec) === undefined && neverFits(state, account, spec) === undefined;
}

/** What an owner or tenant admin does not allow below an account. */
function ruledOut(state: State, account: AccountNo, spec: JobSpec): Refusal | undefined {
  for (const { path, terms } of pathUp(state, account)) {
    const { models, types, images } = terms.allowed;
    if (types !== undefined && !types.includes(spec.type)) {
      return refuse("not-allowed", "type", spec.type, `is not allowed in ${path}`, `allowed: ${types.join(", ")}`);
    }
    if (images !== undefined && spec.image !== undefined && !beginsLikeOne(spec.image, images)) {
      return refuse(
        "not-allowed",
        "image",
        spec.image,
        `is not allowed in ${path}`,
        `allowed: images that begin with ${images.join(", ")}`,
      );
    }
    if (models !== undefined && !asksForOne(spec, models)) {
      return refuse(
        "not-allowed",
        "gpus",
        spec.gpus[0]!.model,
        `is not a model allowed in ${path}`,
        `allowed: ${models.join(", ")}`,
      );
    }
  }
  return undefined;
}

function beginsLikeOne(image: string, prefixes: readonly string[]): boolean {
  return prefixes.some((prefix) => image.startsWith(prefix));
}

/** Whether some alternative asks for one of these models, or for no GPU at all. */
function asksForOne({ gpus }: JobSpec, models: readonly string[]): boolean {
  return gpus.some(
    (ask) => ask.count === 0 || models.some((model) => modelMatches(model, ask.model) || model === ask.model),
  );
}

function overLimits(state: State, account: AccountNo, user: UserId, spec: JobSpec): Refusal | undefined {
  let fewest = Number.POSITIVE_INFINITY;
  for (const { count } of spec.gpus) fewest = Math.min(fewest, count);
  const gpus = fewest * spec.members.min;
  const waiting = Math.max(1, arraySize(spec));
  for (const { no, path, terms } of pathUp(state, account)) {
    const { gpusPerJobMax, runMsMax, waitingJobsPerUserMax, gpusPerUserMax } = terms.limits;
    if (gpusPerJobMax !== undefined && gpus > gpusPerJobMax) {
      return refuse(
        "not-allowed",
        "gpus",
        gpus,
        `is more than one job may hold in ${path}`,
        `ask for at most ${gpusPerJobMax} GPUs in all`,
      );
    }
    if (gpusPerUserMax !== undefined && gpus > gpusPerUserMax) {
      return refuse(
        "not-allowed",
        "gpus",
        gpus,
        `is more than one user may hold in ${path}`,
        `ask for at most ${gpusPerUserMax} GPUs in all`,
      );
    }
    if (runMsMax !== undefined && (spec.maxTimeMs ?? Number.POSITIVE_INFINITY) > runMsMax) {
      const value = spec.maxTimeMs === undefined ? null : spec.maxTimeMs;
      return refuse(
        "not-allowed",
        "max_time",
        value,
        `jobs in ${path} run at most ${runMsMax / 1000} s`,
        `set max_time to at most ${Math.floor(runMsMax / 1000)}s`,
      );
    }
    if (waitingJobsPerUserMax === undefined) continue;
    const count = userCount(state.usage[no]!, user).waiting;
    if (count + waiting > waitingJobsPerUserMax) {
      return refuse(
        "not-allowed",
        "",
        count,
        `you have ${count} jobs waiting in ${path}, and the most is ${waitingJobsPerUserMax}`,
        "wait until some have started, or cancel some",
      );
    }
  }
  return undefined;
}

/** A job that no empty fleet within its ceilings could hold is told so at once, instead of waiting for ever. */
function neverFits(state: State, account: AccountNo, spec: JobSpec): Refusal | undefined {
  const { options } = wishOf(state, spec);
  let why: Refusal | undefined;
  for (let choice = 0; choice < spec.gpus.length; choice++) {
    let known = false;
    for (const option of options) {
      if (option.choice !== choice) continue;
      known = true;
      const refusal = neverFitsAs(state, account, spec, option);
      if (refusal === undefined) return undefined;
      why ??= refusal;
    }
    if (!known) why ??= noSuchModel(state, spec, choice);
  }
  return why;
}

/** The field that asks for these GPUs, and what stands there. */
function askedIn({ gpus }: JobSpec, choice: number): readonly [field: string, text: string | number] {
  const { model, count, unitsEach, part } = gpus[choice]!;
  const amount = part?.profile ?? (part === undefined ? count : unitsEach / unitsPerGpu);
  return [gpus.length === 1 ? "gpus" : `gpus.${choice}`, model === "*" ? amount : `${model}:${amount}`];
}

function noSuchModel(state: State, spec: JobSpec, choice: number): Refusal {
  const { model } = spec.gpus[choice]!;
  return refuse(
    "never-fits",
    ...askedIn(spec, choice),
    `this fleet has no ${model === "*" ? "GPUs" : model}${spec.needs === undefined ? "" : ` known to have ${spec.needs.join(", ")}`}`,
    `models here: ${state.fleet.models.join(", ") || "none"}`,
  );
}

function neverFitsAs(state: State, account: AccountNo, spec: JobSpec, option: WishOption): Refusal | undefined {
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
        `ask for at most ${max}, or have the max raised`,
      );
    }
    const unlent = unlentBeside(state, account, option.demand, (name) => unitsOfAll(state, name), nothingHeld);
    if (unlent > 0 && coverFor(state, account, option.demand, nothingHeld) === noAccount) {
      const lent = mostLent(state, account, model) / unitsPerGpu;
      return refuse(
        "never-fits",
        ...askedIn(spec, choice),
        `needs ${units / unitsPerGpu} GPUs, which no guarantee holds, and others lend at most ${lent} of the fleet`,
        `ask for at most ${lent}, or have a guarantee raised or more lent`,
      );
    }
  }
  if (option.fitsEmptyAt === state.fleet.makeup) return undefined;
  const ask = spec.gpus[choice]!;
  const [field, text] = askedIn(spec, choice);
  const refusal =
    ask.part === undefined
      ? neverAsWhole(state, spec, choice, model, field, text)
      : neverAsPart(state, spec, ask, model, field, text);
  if (refusal === undefined) option.fitsEmptyAt = state.fleet.makeup;
  return refusal;
}

/** All GPU units of the models of a name. */
function unitsOfAll({ fleet }: State, name: string): number {
  if (name === "*") return fleet.totals.gpuUnits;
  let units = 0;
  for (let gpu = 0; gpu < fleet.gpus; gpu++) if (fleet.isOf(gpu, name)) units += fleet.gpuCapacity[gpu]!;
  return units;
}

/** The most of a model that an account may have beyond every guarantee on its path, if nothing ran. */
function mostLent(state: State, account: AccountNo, model: number): number {
  const each = namesKept(state, model).map((name) => {
    return unitsOfAll(state, name) - unlentUnits(state, account, nothingHeld, name);
  });
  return Math.max(0, Math.min(...each));
}

/** Whole GPUs, or none, that not even the empty fleet has in that shape. */
function neverAsWhole(
  state: State,
  spec: JobSpec,
  choice: number,
  model: number,
  field: string,
  text: string | number,
): Refusal | undefined {
  const { min: members, apart } = spec.members;
  const need = needOf(spec, choice, model);
  const rooms = roomsWhenEmpty(state.fleet, need, apart ? 1 : members);
  if (holdsGang(state.fleet, members, rooms, spec)) return undefined;
  if (spec.spread?.required && holdsGang(state.fleet, members, rooms, { ...spec, spread: undefined })) {
    const { level } = spec.spread;
    const why = `there are fewer than ${members} of them with room for such a member`;
    return refuse("never-fits", "spread", level, why, `write spread: ${level}?, or ask for fewer members`);
  }
  const fit = rooms.inAll;
  if (fit >= members) return tooFewTogether(spec, members);
  return fit === 0 ? tooLarge(state, spec, need, field, text) : tooFewInAll(apart, members, fit);
}

/** One member is larger than every node: which resource it is, and the most of it that there is. */
function tooLarge(state: State, spec: JobSpec, need: MemberNeed, field: string, text: string | number): Refusal {
  const { fleet } = state;
  const nodes = fleet.nodes.filter((node) => node !== undefined);
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
      "no node is large enough for one member",
      `the largest node has ${most} ${model}${most === 1 ? "GPU" : "GPUs"}; ask for fewer on each of several nodes`,
    );
  }
  if (!fitsSome(gpusOnly)) {
    let most = 0;
    for (let gpu = 0; gpu < fleet.gpus; gpu++) {
      if (fleet.gpuModel[gpu] === need.model) most = Math.max(most, fleet.gpuMemoryMiB[gpu]!);
    }
    const why = `no node has ${need.gpus} ${model}${need.gpus === 1 ? "GPU" : "GPUs"} with that much memory`;
    return refuse("never-fits", "gpu_memory", spec.gpuMemoryMiB, why, `the largest ${model}has ${most} MiB`);
  }
  // What is left is cores or memory, of the nodes that have the GPUs.
  const able = nodes.filter((node) => membersThatFit(fleet, node, { ...need, ...gpusOnly }, "every-node-empty", 1) > 0);
  const beside = need.gpus === 0 ? "" : ` beside ${need.gpus} ${model}${need.gpus === 1 ? "GPU" : "GPUs"}`;
  const cores = Math.max(...able.map((node) => node.facts.cpusMilli)) / 1000;
  if (need.cpusMilli > cores * 1000) {
    const why = `no node has that many cores${beside}`;
    return refuse("never-fits", "cpus", spec.cpusMilli / 1000, why, `ask for at most ${cores}`);
  }
  const memory = Math.max(
    ...able.filter((node) => node.facts.cpusMilli >= need.cpusMilli).map((node) => node.facts.memoryMiB),
  );
  const together = need.cpusMilli === 0 ? beside : `${beside} and ${spec.cpusMilli / 1000} cores`;
  const why = `no node has that much memory${together}`;
  return refuse("never-fits", "memory", spec.memoryMiB, why, `ask for at most ${memory} MiB`);
}

/** Parts that no devices of this model could give even when all are empty. */
function neverAsPart(
  state: State,
  spec: JobSpec,
  ask: GpuAsk,
  model: number,
  field: string,
  text: string | number,
): Refusal | undefined {
  const { fleet } = state;
  const { min: members, apart } = spec.members;
  const partAsk = { ...ask.part!, isolation: spec.isolation };
  const most = apart ? 1 : members;
  const who = { ...anybody, ...loadOf(spec) };
  const here = (node: FleetNode) => Math.min(most, partsOn(fleet, node, model, partAsk, who, most));
  const rooms = new Rooms(fleet, here);
  if (holdsGang(fleet, members, rooms, { topology: spec.topology })) return undefined;
  let fit = 0;
  for (const node of fleet.nodes) if (node !== undefined) fit += here(node);
  if (fit === 0) {
    const why = "no GPU here can be cut like that";
    return refuse("never-fits", field, text, why, "ask for a whole GPU, or another part; see: tess gpus -o wide");
  }
  return fit >= members ? tooFewTogether(spec, members) : tooFewInAll(apart, members, fit);
}

/** How many such parts an empty node holds, counted up to `most`. */
function partsOn(
  fleet: State["fleet"],
  node: FleetNode,
  model: number,
  ask: PartAsk,
  who: Newcomer,
  most: number,
): number {
  let parts = 0;
  for (let gpu = node.firstGpu as number; gpu < node.firstGpu + node.facts.gpus.length && parts < most; gpu++) {
    if (fleet.gpuModel[gpu] !== model) continue;
    const occupants: Occupant[] = [];
    while (parts < most) {
      const seat = seatPart(fleet.device(gpu), occupants, who, ask);
      if (typeof seat === "string") break;
      occupants.push({ ...who, ...seat });
      parts++;
    }
  }
  return parts;
}

function tooFewTogether({ topology }: JobSpec, members: number): Refusal {
  const { level } = topology!;
  const why = `no ${level} can hold ${members} such members`;
  return refuse("never-fits", "topology", level, why, `write topology: ${level}?, or ask for fewer`);
}

function tooFewInAll(apart: boolean, members: number, fit: number): Refusal {
  const why = `only ${fit} such members fit the whole fleet when it is empty`;
  return refuse("never-fits", apart ? "nodes" : "members", members, why, `ask for at most ${fit}`);
}
