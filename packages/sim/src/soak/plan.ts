import { seededRandom } from "@tessera/engine-simulated";

/**
 * Where a kill falls. In the first six phases the server ends itself; `idle`, with nothing to do, and `anywhere`, at a
 * random moment under load, come from outside; `paused` is a SIGSTOP beyond its lease.
 */
export const killPoints = [
  "deciding",
  "committing",
  "committed",
  "beforeEngineCall",
  "afterEngineCall",
  "adopting",
  "idle",
  "anywhere",
  "paused",
] as const;

/** The phases of a reclaim, in which the server ends itself too. */
export const reclaimPoints = ["beforeSignal", "inGrace", "afterStop", "beforeStart"] as const;
export type KillPoint = (typeof killPoints)[number] | (typeof reclaimPoints)[number];

/** The names that the server has for its phases. */
export const phaseOf: Partial<Record<KillPoint, string>> = {
  deciding: "deciding",
  committing: "committing",
  committed: "committed",
  beforeEngineCall: "before-engine-call",
  afterEngineCall: "after-engine-call",
  adopting: "adopting",
  beforeSignal: "before-signal",
  inGrace: "in-grace",
  afterStop: "after-stop",
  beforeStart: "before-start",
};

/** One kill, and whether a cycle begins with it, so that clients are first let do their share. */
export interface Kill {
  readonly point: KillPoint;
  readonly first: boolean;
}

/**
 * One kill a cycle, each point as often as the others, in an order that follows from the seed. Some cycles have one or
 * more further kills, in a reclaim: each phase of it in every tenth cycle, and at least once.
 */
export function planKills(cycles: number, points: readonly KillPoint[], seed: number): Kill[] {
  const random = seededRandom(seed);
  const firsts = shuffle(
    Array.from({ length: cycles }, (_, i) => points[i % points.length]!),
    random,
  );
  const each = Math.ceil(cycles / 10);
  const others = shuffle(
    reclaimPoints.flatMap((point) => Array.from({ length: each }, () => point)),
    random,
  );
  return firsts.flatMap((point, i) => [
    { point, first: true },
    ...others.filter((_, place) => place % cycles === i).map((other) => ({ point: other, first: false })),
  ]);
}

function shuffle<Item>(items: Item[], random: () => number): Item[] {
  for (let i = items.length - 1; i > 0; i--) {
    const other = Math.floor(random() * (i + 1));
    [items[i], items[other]] = [items[other]!, items[i]!];
  }
  return items;
}
