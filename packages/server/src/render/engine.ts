import { durationText, type EngineState, type Instant, type ReadonlyState, unitsPerGpu } from "@tessera/core";
import type { Capabilities } from "@tessera/engine";
import type { EngineCapabilities, EngineShape } from "@tessera/wire";
import { gpusOf, timestamp } from "./quantities.ts";

/** How this server stands to an engine now. */
export interface Standing {
  readonly reach: EngineShape["reach"];
  readonly reachedAt?: Instant;
  readonly error?: string;
  readonly version?: string;
  readonly capabilities?: Capabilities;
  readonly credentials: EngineShape["credentials"];
  readonly fromStart: boolean;
}

export interface EngineCount {
  nodes: number;
  gpus: number;
  heldUnits: number;
  freeUnits: number;
}

/** What each engine has, by its name. */
export function countsByEngine({ fleet }: ReadonlyState): ReadonlyMap<string, EngineCount> {
  const counts = new Map<string, EngineCount>();
  for (const node of fleet.nodes) {
    if (node === undefined) continue;
    const { engine, gpus } = node.facts;
    const count = counts.get(engine) ?? { nodes: 0, gpus: 0, heldUnits: 0, freeUnits: 0 };
    count.nodes++;
    count.gpus += gpus.length;
    for (let gpu = node.firstGpu as number; gpu < node.firstGpu + gpus.length; gpu++) {
      count.heldUnits += unitsPerGpu - fleet.gpuFree[gpu]!;
      if (node.mode === "up") count.freeUnits += fleet.unitsOffered(gpu);
    }
    counts.set(engine, count);
  }
  return counts;
}

/** An engine for one who may change it, or only see it: what stands in the way may tell of addresses and names. */
export function renderEngine(
  engine: EngineState,
  standing: Standing,
  count: EngineCount | undefined,
  mayChange: boolean,
): EngineShape {
  const { name, terms, away, leaving, createdAt } = engine;
  const { reach, reachedAt, error, version, capabilities, credentials, fromStart } = standing;
  const since = away?.since ?? reachedAt;
  const lostAt = away !== undefined && terms.lostAfterMs > 0 ? away.since + terms.lostAfterMs : undefined;
  return {
    ...{ name, kind: terms.kind, reach },
    ...(since !== undefined && { since: timestamp(since) }),
    ...(lostAt !== undefined && { lostAt: timestamp(lostAt) }),
    ...(mayChange && error !== undefined && { error }),
    ...(version !== undefined && { version }),
    ...(capabilities !== undefined && { capabilities: renderCapabilities(capabilities) }),
    ...{ nodes: count?.nodes ?? 0, gpus: count?.gpus ?? 0 },
    ...{ gpusHeld: gpusOf(count?.heldUnits ?? 0), gpusFree: gpusOf(count?.freeUnits ?? 0) },
    ...(terms.cordoned !== undefined && { cordoned: terms.cordoned }),
    leaving: leaving ?? false,
    lostAfter: terms.lostAfterMs === 0 ? null : durationText(terms.lostAfterMs),
    ...(mayChange && { settings: { ...terms.settings } }),
    ...{ credentials, fromStart, createdAt: timestamp(createdAt) },
  };
}

function renderCapabilities(can: Capabilities): EngineCapabilities {
  return {
    images: can.images,
    withoutImage: can.withoutImage ?? true,
    isolation: [...can.isolation],
    workdir: can.workdir,
    code: can.code ?? false,
    mounts: can.mounts ?? false,
  };
}
