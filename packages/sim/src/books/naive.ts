import { latestOf, type Metered, modelMatches, type Period, tenantOfPath, type Usage } from "@tessera/core";

/** GPU time of a period, counted in the plainest way: from change to change, everything added up again. */
export interface Counted {
  /** By tenant. */
  readonly reserved: Map<string, bigint>;
  readonly beyond: Map<string, bigint>;
  /** The most that can have been lent: what was borrowed, and of that no more than was idle. */
  readonly lentMost: bigint;
  /** Of all leases, whatever they did. */
  readonly held: bigint;
}

/** What must come out, worked out without the rater's indexes, caches and shortcuts. */
export function countPeriod(metered: Metered, { fromAt, toAt }: Period): Counted {
  const usage = latestOf(metered.usage);
  const inOrder = <Each extends { readonly at: number; readonly revision: number }>(list: readonly Each[]) =>
    [...list].sort((a, b) => a.at - b.at || a.revision - b.revision);
  const floors = inOrder(metered.floors);
  const times = new Set<number>([fromAt, toAt]);
  for (const at of [...usage.flatMap((each) => [each.fromAt, each.toAt]), ...floors.map(({ at }) => at)]) {
    if (at > fromAt && at < toAt) times.add(at);
  }
  const instants = [...times].sort((a, b) => a - b);
  const counted = { reserved: new Map<string, bigint>(), beyond: new Map<string, bigint>(), lentMost: 0n, held: 0n };
  for (let i = 0; i + 1 < instants.length; i++) {
    const [at, ms] = [instants[i]!, BigInt(instants[i + 1]! - instants[i]!)];
    const now = usage.filter((each) => each.fromAt <= at && each.toAt > at);
    const floorOf = new Map<string, { readonly [entry: string]: number }>();
    for (const floor of floors) if (floor.at <= at) floorOf.set(floor.account, floor.guarantee);
    const tenants = new Set([...floorOf.keys(), ...now.map(({ account }) => account)].map(tenantOfPath));
    let [idle, over] = [0, 0];
    for (const tenant of tenants) {
      const floor = floorOf.get(tenant) ?? {};
      const own = now.filter(({ account }) => tenantOfPath(account) === tenant);
      const { beyond, unused } = against(floor, own);
      const units = Object.values(floor).reduce((sum, each) => sum + each, 0);
      idle += unused;
      over += beyond;
      add(counted.reserved, tenant, BigInt(units) * ms);
      add(counted.beyond, tenant, BigInt(beyond) * ms);
    }
    counted.held += now.reduce((sum, each) => sum + BigInt(each.gpus.length * each.unitsEach), 0n) * ms;
    counted.lentMost += BigInt(Math.min(idle, over)) * ms;
  }
  return counted;
}

/** What is held beyond a floor, and what of the floor is not used. */
function against(
  floor: { readonly [entry: string]: number },
  own: readonly Usage[],
): { beyond: number; unused: number } {
  const used = new Map<string, number>();
  for (const { model, gpus, unitsEach } of own) {
    const entry = Object.keys(floor)
      .filter((each) => each !== "*" && modelMatches(each, model))
      .sort((a, b) => b.length - a.length)[0];
    used.set(entry ?? "", (used.get(entry ?? "") ?? 0) + gpus.length * unitsEach);
  }
  let overflow = used.get("") ?? 0;
  let unused = 0;
  for (const [entry, units] of Object.entries(floor)) {
    if (entry === "*") continue;
    overflow += Math.max(0, (used.get(entry) ?? 0) - units);
    unused += Math.max(0, units - (used.get(entry) ?? 0));
  }
  const any = floor["*"] ?? 0;
  return { beyond: Math.max(0, overflow - any), unused: unused + Math.max(0, any - overflow) };
}

function add(sums: Map<string, bigint>, key: string, amount: bigint): void {
  sums.set(key, (sums.get(key) ?? 0n) + amount);
}
