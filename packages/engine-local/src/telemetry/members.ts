import type { LeaseId } from "@tessera/core";
import type { MemberSample } from "@tessera/engine";
import type { ControlGroup } from "../limit/group.ts";
import { groupUsage } from "./group-usage.ts";
import { type ProcessUsage, pidsByMark, pidsIn, processUsage } from "./process-usage.ts";

/** A member that is to be measured. */
export interface Measured {
  readonly lease: LeaseId;
  /** Names its groups and marks its processes. */
  readonly mark: string;
  readonly groups: readonly Pick<ControlGroup, "folder">[];
}

/** Counters of a member at one time. */
interface Counted {
  readonly at: number;
  readonly cpuUs?: number;
  readonly readBytes?: number;
  readonly writtenBytes?: number;
  readonly processes: ReadonlyMap<string, ProcessUsage>;
}

/** Measures members from one call to the next. What the first call of a member finds has no time to be divided by. */
export class MemberMeter {
  readonly #now: () => number;
  #before = new Map<LeaseId, Counted>();

  /** `now` must never be set back. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  async read(members: readonly Measured[], at: number): Promise<MemberSample[]> {
    const counted = new Map<LeaseId, Counted>();
    const samples: MemberSample[] = [];
    const loose = new Loose();
    for (const { lease, mark, groups } of members) {
      const pids = (await pidsIn(groups)) ?? (await loose.pids(mark));
      const now = this.#now();
      const usage = await groupUsage(groups);
      const found = (await Promise.all(pids.map((pid) => processUsage(pid)))).filter((each) => each !== undefined);
      if (found.length === 0) continue; // it does not run yet, or no more
      const processes = new Map(found.map((each) => [each.key, each]));
      const { memoryBytes = sum(found, ({ memoryBytes }) => memoryBytes), ...counters } = usage;
      const after = { at: now, ...counters, processes };
      counted.set(lease, after);
      const before = this.#before.get(lease);
      samples.push({
        ...{ lease, at, memoryMiB: Math.round(memoryBytes / 2 ** 20) },
        ...(before !== undefined && after.at > before.at && rates(before, after)),
      });
    }
    this.#before = counted;
    return samples;
  }
}

/** Processes of members without a group: looked for once, and only if there are such members. */
class Loose {
  #found: Promise<ReadonlyMap<string, readonly number[]>> | undefined;
  async pids(mark: string): Promise<readonly number[]> {
    this.#found ??= pidsByMark();
    return (await this.#found).get(mark) ?? [];
  }
}

function rates(before: Counted, after: Counted): Partial<MemberSample> {
  const ms = after.at - before.at;
  const cpuUs = grown(before, after, "cpuUs");
  const [read, written] = [grown(before, after, "readBytes"), grown(before, after, "writtenBytes")];
  return {
    ...(cpuUs !== undefined && { cpusMilli: Math.round(cpuUs / ms) }),
    ...(read !== undefined && { read: Math.round((read * 1000) / ms) }),
    ...(written !== undefined && { written: Math.round((written * 1000) / ms) }),
  };
}

/** How much a counter has grown: of the group where it counts that, else of the processes that are there now. */
function grown(before: Counted, after: Counted, name: "cpuUs" | "readBytes" | "writtenBytes"): number | undefined {
  const [one, other] = [before[name], after[name]];
  if (one !== undefined && other !== undefined) return Math.max(0, other - one);
  const parts = [...after.processes.values()].map((process) => {
    const value = process[name];
    return value === undefined ? undefined : value - (before.processes.get(process.key)?.[name] ?? 0);
  });
  const seen = parts.filter((part) => part !== undefined);
  return seen.length === 0 ? undefined : sum(seen, (part) => part);
}

function sum<Item>(items: readonly Item[], value: (item: Item) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}
