import type { Usage } from "../meter/usage.ts";

/** The record with the highest revision of each usage, which lease, state and beginning identify. */
export function latestOf(usage: readonly Usage[]): Usage[] {
  const latest: Usage[] = [];
  // A lease has few usages, so a linked list of their places is searched; building a key for each would cost more.
  const lastOf = new Map<string, number>();
  const before = new Int32Array(usage.length);
  let [lease, last] = ["", -1];
  for (const each of usage) {
    // Usages of one lease mostly come one after the other.
    if (each.lease !== lease) {
      lastOf.set(lease, last);
      lease = each.lease;
      last = lastOf.get(lease) ?? -1;
    }
    let place = last;
    while (place >= 0 && !(latest[place]!.fromAt === each.fromAt && latest[place]!.state === each.state)) {
      place = before[place]!;
    }
    if (place >= 0) {
      if (latest[place]!.revision < each.revision) latest[place] = each;
      continue;
    }
    before[latest.length] = last;
    last = latest.push(each) - 1;
  }
  return latest;
}
