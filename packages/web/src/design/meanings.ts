import type { Hue } from "./hues.ts";

/**
 * The fixed colours of charts, chips and maps. A family holds what one chart can show together: in it no colour means two
 * things. Its order is that of a stack, from the bottom up.
 */
export const meanings = {
  class: { guaranteed: "blue", burst: "orange", leaving: "vermilion" },
  /** Lines of a whole metric. */
  metric: {
    allocated: "blue",
    burst: "orange",
    reserved: "sky",
    down: "red",
    idle: "grey",
    guarantee: "teal",
    max: "ink",
    lent: "pink",
    busy: "green",
    capacity: "slate",
  },
  charge: {
    reserved: "blue",
    burst: "orange",
    cpu: "violet",
    memory: "sky",
    stranded: "brown",
    idle: "grey",
    minimum: "olive",
    correction: "slate",
    lent: "pink",
    "lost-work": "vermilion",
  },
  outcome: {
    succeeded: "green",
    failed: "red",
    cancelled: "slate",
    "infra-failed": "vermilion",
    preempted: "orange",
    "timed-out": "violet",
    "deadline-passed": "brown",
    "dependency-failed": "pink",
    "over-budget": "olive",
  },
  /** States of jobs before they end. Arrays show them beside outcomes. */
  state: { waiting: "grey", held: "ink", starting: "sky", running: "blue", stopping: "teal" },
  cause: {
    failed: "red",
    node_lost: "vermilion",
    node_fault: "brown",
    neighbour_fault: "pink",
    preempted: "orange",
    moved: "sky",
    drain: "slate",
    budget: "olive",
    refused: "violet",
    suspended: "grey",
    requeued: "teal",
  },
  reason: {
    capacity: "blue",
    shape: "sky",
    quota: "orange",
    order: "green",
    health: "vermilion",
    isolation: "violet",
    reservation: "brown",
    evicting: "teal",
    budget: "olive",
    price: "slate",
    dependency: "pink",
    held: "ink",
    "not-yet": "grey",
    never: "red",
  },
  level: { node: "blue", rack: "orange", block: "green", fleet: "slate" },
  mode: {
    up: "green",
    cordoned: "olive",
    draining: "brown",
    maintenance: "slate",
    down: "red",
    unknown: "pink",
  },
  /** Used in green and blue, wasted by holders in warm colours, without a holder in greys. */
  waste: {
    busy: "green",
    allocated_partly: "sky",
    allocated_idle: "orange",
    allocated_unmeasured: "pink",
    dedicated: "olive",
    setup: "violet",
    handover: "teal",
    lost_preemption: "vermilion",
    lost_fault: "brown",
    fragmented: "blue",
    unallocated_idle: "grey",
    maintenance: "slate",
    down: "red",
  },
} as const satisfies Record<string, Readonly<Record<string, Hue>>>;

export type Family = keyof typeof meanings;

/** The hue of a word in a family; undefined if it has none. Never ask for names that people choose. */
export function hueOf(family: Family, word: string): Hue | undefined {
  const hues: Readonly<Record<string, Hue>> = meanings[family];
  return Object.hasOwn(hues, word) ? hues[word] : undefined;
}
