import { DomainRoom } from "../fleet/domain-room.ts";
import type { Among } from "../fleet/fit.ts";
import { holdsGang } from "../fleet/gang.ts";
import { loadOf } from "../gpu/latency.ts";
import { migModelOf } from "../gpu/mig-models.ts";
import { isTrusted, type Newcomer, type Occupant, type PartAsk, seatPart } from "../gpu/seat.ts";
import { type Refusal, refuse } from "../journal/refusal.ts";
import type { AccountNo } from "../model/ids.ts";
import type { JobSpec } from "../model/job.ts";
import { must } from "../model/must.ts";
import type { FleetNode } from "../model/node.ts";
import { tenantOf } from "../quota/accounts.ts";
import { anyTenant } from "../quota/demand.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";
import { tooFewInAll, tooFewTogether } from "./too-few.ts";

/** An alternative of a job that asks for parts of the GPUs of a model. */
interface AskForParts {
  readonly account: AccountNo;
  readonly spec: JobSpec;
  readonly choice: number;
  readonly model: number;
  readonly among: Among | undefined;
}

/** Refuses parts that the empty GPUs of this model cannot provide [P3, P5, P11]. */
export function neverAsPart(
  state: ReadonlyState,
  ask: AskForParts,
  field: string,
  text: string | number,
): Refusal | undefined {
  const { account, spec, choice, model, among } = ask;
  const { fleet } = state;
  const { min: members, apart } = spec.members;
  const partAsk = { ...must(spec.gpus[choice]?.part, "not a part"), isolation: spec.isolation };
  const most = apart ? 1 : members;
  const newcomer = { ...anyTenant, ...loadOf(spec), trust: tenantOf(state, account).terms.trust };
  const here = (node: FleetNode) =>
    among?.has(node) === false ? 0 : Math.min(most, partsOn(fleet, node, model, partAsk, newcomer, most));
  const rooms = new DomainRoom(fleet, here);
  if (holdsGang(fleet, members, rooms, { topology: spec.topology })) return undefined;
  let fit = 0;
  for (const node of fleet.nodes) if (node !== undefined) fit += here(node);
  if (fit === 0) return noSuchPart(state, ask, newcomer, field, text);
  if (fit >= members) return tooFewTogether(spec, members);
  return tooFewInAll(fleet, { model, among }, apart, members, fit);
}

/** Says what the nodes that the job may use offer instead. */
function noSuchPart(
  { fleet }: ReadonlyState,
  { spec, choice, model, among }: AskForParts,
  who: Newcomer,
  field: string,
  text: string | number,
): Refusal {
  const nodes = fleet.nodes.filter((node) => node !== undefined).filter((node) => among?.has(node) !== false);
  const sharings = new Set(nodes.filter((node) => hasModel(fleet, node, model)).map(({ sharing }) => sharing));
  const name = fleet.models[model]!;
  const modes = new Set([...sharings].flatMap((each) => each.modes));
  const hint = "ask for a whole GPU, or another part; see: tess gpus -o wide";
  if (modes.size === 0)
    return refuse("never-fits", field, text, `is a part, and ${name} is given out in whole GPUs only`, hint);
  const barred = [...sharings].filter((sharing) => sharing.modes.length > 0 && !isTrusted(who, { sharing }));
  if (barred.length > 0 && barred.every(({ trust }) => trust === barred[0]!.trust)) {
    const why = `is a part that no pool offers to this tenant: what shares ${name} takes parts of ${barred[0]!.trust} tenants only`;
    return refuse("never-fits", field, text, why, "ask for a whole GPU, or ask an administrator for another pool");
  }
  const why = `is a part that no pool offers: ${name} is shared by ${[...modes].join(" and ")}`;
  const profiles = migModelOf(name, fleet.device(fleet.someGpuOf(model)).memoryMiB)?.profileByName;
  const asked = spec.gpus[choice]?.part?.profile;
  const isUnknown = asked !== undefined && modes.has("mig") && profiles?.has(asked) !== true;
  const cut = `its profiles are ${[...(profiles?.keys() ?? [])].join(", ") || "none"}`;
  return refuse("never-fits", field, text, isUnknown ? `${why}, and ${cut}` : why, hint);
}

function hasModel(fleet: ReadonlyState["fleet"], { firstGpu, facts }: FleetNode, model: number): boolean {
  return facts.gpus.some((_, i) => fleet.gpuModel[firstGpu + i] === model);
}

/** The number of such parts that an empty node holds, counted up to `most`. */
function partsOn(
  fleet: ReadonlyState["fleet"],
  node: FleetNode,
  model: number,
  ask: PartAsk,
  newcomer: Newcomer,
  most: number,
): number {
  let parts = 0;
  for (let gpu = node.firstGpu as number; gpu < node.firstGpu + node.facts.gpus.length && parts < most; gpu++) {
    if (fleet.gpuModel[gpu] !== model) continue;
    const occupants: Occupant[] = [];
    while (parts < most) {
      const seat = seatPart(fleet.device(gpu), occupants, newcomer, ask);
      if (typeof seat === "string") break;
      occupants.push({ ...newcomer, ...seat });
      parts++;
    }
  }
  return parts;
}
