import type { Usage } from "../meter/usage.ts";

/** Of several tellings of one stretch the last. */
export function latestOf(usage: readonly Usage[]): Usage[] {
  const latest: Usage[] = [];
  // The stretches of a lease are few: a chain of places is followed instead of spelling a key for each of them.
  const lastOf = new Map<string, number>();
  const before = new Int32Array(usage.length);
  let [lease, last] = ["", -1];
  for (const each of usage) {
    // They mostly come one after the other.
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
