import type { Container, Pod, ResourceClaim } from "../api/types.ts";
import { milli, quantity } from "./quantity.ts";

/** What pods that are not ours hold of one node. */
export interface ForeignUse {
  readonly cpusMilli: number;
  readonly memoryBytes: number;
  /** By resource, such as `nvidia.com/gpu`. */
  readonly devices: Readonly<Record<string, number>>;
}

export const noUse: ForeignUse = { cpusMilli: 0, memoryBytes: 0, devices: {} };

type Amounts = Record<string, number>;

/** What the cluster's scheduler counts for a pod: the larger of its containers together and its widest moment before. */
export function requestsOf({ spec }: Pod): ForeignUse {
  const running: Amounts = {};
  for (const each of spec.containers) add(running, amountsOf(each));
  const most: Amounts = {};
  const besides: Amounts = {};
  for (const each of spec.initContainers ?? []) {
    const own = amountsOf(each);
    if (each.restartPolicy === "Always") {
      add(besides, own);
      add(running, own);
    }
    const moment = { ...besides };
    if (each.restartPolicy !== "Always") add(moment, own);
    for (const [name, amount] of Object.entries(moment)) most[name] = Math.max(most[name] ?? 0, amount);
  }
  for (const [name, amount] of Object.entries(running)) most[name] = Math.max(most[name] ?? 0, amount);
  add(most, amountsIn((spec.overhead ?? {}) as Record<string, string>));
  const { cpu = 0, memory = 0, ...rest } = most;
  const devices = Object.fromEntries(Object.entries(rest).filter(([name]) => name.includes("/")));
  return { cpusMilli: Math.round(cpu * 1000), memoryBytes: memory, devices };
}

function amountsOf({ resources }: Container): Amounts {
  return amountsIn({ ...resources?.limits, ...resources?.requests });
}

function amountsIn(texts: Readonly<Record<string, string>>): Amounts {
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, name === "cpu" ? milli(text) / 1000 : quantity(text)]),
  );
}

function add(to: Amounts, what: Amounts): void {
  for (const [name, amount] of Object.entries(what)) to[name] = (to[name] ?? 0) + amount;
}

/** Sums what is held of each node. */
export function foreignByNode(pods: Iterable<Pod>): ReadonlyMap<string, ForeignUse> {
  const found = new Map<string, ForeignUse>();
  for (const pod of pods) {
    const { nodeName } = pod.spec;
    const { phase } = pod.status ?? {};
    if (nodeName === undefined || phase === "Succeeded" || phase === "Failed") continue;
    const use = requestsOf(pod);
    const sum = found.get(nodeName) ?? noUse;
    const devices: Amounts = { ...sum.devices };
    add(devices, { ...use.devices });
    found.set(nodeName, {
      cpusMilli: sum.cpusMilli + use.cpusMilli,
      memoryBytes: sum.memoryBytes + use.memoryBytes,
      devices,
    });
  }
  return found;
}

/** The devices that claims of others hold, as `driver/pool/device`. */
export function claimedDevices(claims: Iterable<ResourceClaim>): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { status } of claims) {
    for (const { driver, pool, device, adminAccess } of status?.allocation?.devices?.results ?? []) {
      if (!adminAccess) found.add(`${driver}/${pool}/${device}`);
    }
  }
  return found;
}
