import type { EngineOut, GpuCount, NodesLeftOut, Reason, ReasonKind, ReasonValues } from "@tessera/core";
import { instantText } from "@tessera/core/instant";
import { lackText } from "@tessera/core/lack-text";
import { shortMemory } from "@tessera/core/memory";
import { moneyText } from "@tessera/core/money";

/** What tells apart how waits of one kind end. */
type Waits = Pick<Reason, "unit">;

/** All that is said of one kind of reason why a job waits. */
export interface ReasonText<Values> {
  /** One or two words, for a table or a chip. */
  readonly title: string;
  /** What is checked, in words that suit a check passed as well as one that is not. */
  readonly check: string;
  /** What the kind means, for the documentation. */
  readonly meaning: string;
  /** After "waits because". */
  readonly because: string;
  /** Of a job for which this check is passed. */
  readonly passed: string;
  /** What happened, with amounts and places. */
  readonly sentence: (values: Values) => string;
  /** What its user can do on the command line; absent where waiting is all. */
  readonly advice?: string;
  /** What ends the wait, in a sentence. */
  readonly ends: string | ((reason: Waits) => string);
  /** Whether the place in the queue matters; otherwise the job is held back wherever it stands. */
  readonly inQueue: boolean;
  /** Whether a change of the job itself could end the wait. */
  readonly changeable: boolean;
}

/**
 * The waiting reasons, in the order in which they are checked: the one place for what the CLI, the console, the API and
 * docs/explain.md say of them. A new kind does not compile until it has its texts.
 */
export const waitingReasons = {
  never: {
    title: "can never run",
    check: "exists in the fleet",
    meaning: "the fleet no longer has the GPUs that the job asks for, or no node that it may use",
    because: "it can never start as it is",
    passed: "the fleet has the GPUs it asks for",
    sentence: ({ model, leftOut }) =>
      leftOut === undefined
        ? `The fleet has no ${model} any more.`
        : `The fleet has no node any more that it may use: ${leftOutText(leftOut)}.`,
    advice: "Cancel it and submit it for GPUs that the fleet has: tess gpus",
    ends: "Cancel it and submit it for GPUs that the fleet has.",
    inQueue: false,
    changeable: true,
  },
  held: {
    title: "held",
    check: "released",
    meaning: "a user held the job with `tess hold`; `tess release` lets it compete again",
    because: "it is held",
    passed: "not held",
    sentence: () => "A user held the job.",
    advice: "Let it compete again: tess release",
    ends: "Release it: it competes again.",
    inQueue: false,
    changeable: false,
  },
  "not-yet": {
    title: "not yet",
    check: "its time",
    meaning: "its `not_before` has not come, it pauses before a retry, or its array runs as many elements as it may",
    because: "its time has not come",
    passed: "its time has come",
    sentence: (values) => {
      switch (values.cause) {
        case "retry":
          return "The last attempt failed, and the pause before the next one is not over.";
        case "not-before":
          return "Its not_before time has not come.";
        case "array":
          return `${many(values.running, "array element")} ${are(values.running)} running (limit ${values.limit}).`;
      }
    },
    ends: ({ unit }) =>
      unit === "elements"
        ? "It competes once another element of its array ends."
        : "It competes by itself at its time.",
    inQueue: false,
    changeable: true,
  },
  dependency: {
    title: "waits for a job",
    check: "jobs before it",
    meaning: "a job of its `after` has not ended",
    because: "it must run after another job",
    passed: "no other job has to end first",
    sentence: ({ jobs, awaited }) => {
      const names = awaited.map(({ id, name }) => `${name} (${id})`);
      if (names.length === 0) return `${many(jobs, "job")} of its after ${jobs === 1 ? "has" : "have"} not ended.`;
      const more = jobs > names.length ? ` and ${jobs - names.length} more` : "";
      return `It runs after ${names.join(", ")}${more}, which ${jobs === 1 ? "has" : "have"} not ended.`;
    },
    ends: "It competes once they have ended. If one of them never will, cancel it and submit it without after.",
    inQueue: false,
    changeable: false,
  },
  budget: {
    title: "budget",
    check: "budget",
    meaning: "the budget of its account, or of an account above it, is spent, or the tenant's credit is used up",
    because: "its budget is spent",
    passed: "its accounts have budget left",
    sentence: ({ account, of, guaranteedMayStart }) =>
      `The ${of} of ${account} is ${of === "budget" ? "spent" : "used up"}.` +
      (guaranteedMayStart ? " Only work inside its guarantee may start." : ""),
    advice: "What was spent: tess budget get",
    ends: "A higher budget or credit limit, or the next period, lets it start.",
    inQueue: false,
    changeable: true,
  },
  price: {
    title: "price",
    check: "price",
    meaning: "an hour costs more than its `max_price`; `until` says when it costs less, as far as prices are known",
    because: "an hour costs more than its max_price",
    passed: "the price is within its max_price",
    sentence: ({ model, currency, hourMicros, maxMicros, guarantor }) => {
      const inside = guarantor === undefined ? "" : ` Inside the guarantee of ${guarantor} it starts at any price.`;
      if (hourMicros === undefined) return `The price of an hour at this time of day is not known yet.${inside}`;
      const max = moneyText(maxMicros, currency);
      return `An hour of ${model} costs ${moneyText(hourMicros, currency)} beyond the guarantee; its max_price is ${max}.${inside}`;
    },
    advice: "Wait for a lower price, or submit it with a higher max_price; what an hour costs: tess price show",
    ends: "It starts once an hour costs less; with a higher max_price it starts earlier.",
    inQueue: false,
    changeable: true,
  },
  evicting: {
    title: "room is being made",
    check: "room",
    meaning: "other jobs are being evicted for it",
    because: "room is being made for it",
    passed: "no room has to be made",
    sentence: ({ gpus }) => `${many(gpus, "GPU")} ${are(gpus)} being emptied for it.`,
    ends: "It starts once they have left.",
    inQueue: true,
    changeable: false,
  },
  quota: {
    title: "quota",
    check: "quota",
    meaning:
      "a max, a limit per user or per period, GPUs that their owner does not lend, or `preemptible: false` without room in a guarantee",
    because: "a quota is used up",
    passed: "its accounts may use more",
    sentence: quotaSentence,
    advice: "How much each account uses: tess account tree",
    ends: "It starts once jobs of the account end, or with a higher quota.",
    inQueue: true,
    changeable: true,
  },
  capacity: {
    title: "capacity",
    check: "capacity",
    meaning: "too little is free; `missing` says when it is cores, memory or the memory of the GPUs",
    because: "too little is free",
    passed: "enough GPUs are free",
    sentence: (values) => {
      switch (values.cause) {
        case "gpus":
          return `It needs ${gpus(values.needed)} and ${values.free} ${are(values.free)} free.`;
        case "gpu-memory": {
          const { needed, memoryMiB, enough } = values;
          return `It needs ${gpus(needed)} with ${shortMemory(memoryMiB)} of memory and ${enough} ${are(enough)} free.`;
        }
        case "beside-part": {
          const { cpusMilli, memoryMiB = 0 } = values;
          const what = cpusMilli === undefined ? `${shortMemory(memoryMiB)} of memory` : `${cpusMilli / 1000} cores`;
          return `A part of a GPU is free, but on no node that also has the ${what} it asks for.`;
        }
        case "part-no-room":
          return `No ${gpuOf(values.model)} has a part free that is large enough.`;
        case "part-no-cut":
          return `No ${gpuOf(values.model)} that can be divided for it is free.`;
        default:
          return besideSentence(values);
      }
    },
    advice: "What is free: tess gpus",
    ends: "It starts once enough GPUs are released.",
    inQueue: true,
    changeable: true,
  },
  shape: {
    title: "shape",
    check: "shape",
    meaning:
      "enough is free, but not together, not apart, or not on nodes that the job may use: by its `engine`, `region` or `where`, by what an engine can run, or by a pool that is closed to its account",
    because: "enough is free, but not where it needs it",
    passed: "they are where it needs them",
    sentence: shapeSentence,
    ends: "It starts once GPUs are released where it needs them, or if it asks for another place.",
    inQueue: true,
    changeable: true,
  },
  isolation: {
    title: "isolation",
    check: "isolation",
    meaning:
      "enough is free, but only beside work with which the job may not share a node or a GPU: for trust, or for a [latency promise](jobs.md#a-latency-promise)",
    because: "it may not share what is free",
    passed: "it may share them with the work beside it",
    sentence: (values) => {
      switch (values.cause) {
        case "confidential":
          return `${isFree(values.free)}, but only on nodes that run other tenants' work, and it needs nodes of its own.`;
        case "node-not-shared":
          return `${isFree(values.free)}, but only on nodes that another tenant does not share.`;
        case "part-not-shared":
          return `A part of a ${gpuOf(values.model)} is free, but only beside tenants with which it may not share a GPU.`;
        case "part-alone":
          return `A part of a ${gpuOf(values.model)} is free, but only beside other jobs: a fault on a GPU that it shared ended it, so by MPS it runs alone now.`;
        case "latency": {
          const { model, stretchMax } = values;
          const part = `A part of a ${gpuOf(model)} is free`;
          if (stretchMax === undefined)
            return `${part}, but the job would break the latency promise of the work beside it.`;
          const most = stretchMax === 1 ? "above its value alone" : `above ${stretchMax} times its value alone`;
          return `${part}, but the work beside it would raise the job's latency ${most}, or the job would break that work's own promise.`;
        }
      }
    },
    ends: "It starts once whole nodes or GPUs are free, or with weaker isolation.",
    inQueue: true,
    changeable: true,
  },
  health: {
    title: "health",
    check: "nodes in service",
    meaning: "enough is free, but on nodes that are cordoned, draining, down or unknown",
    because: "nodes that could hold it take no work",
    passed: "their nodes take work",
    sentence: ({ free }) => `${isFree(free)}, but on nodes that are cordoned, draining, down or unknown.`,
    advice: "Nodes and their state: tess node get",
    ends: "It starts once these nodes take work again.",
    inQueue: true,
    changeable: true,
  },
  reservation: {
    title: "maintenance ahead",
    check: "maintenance",
    meaning:
      "enough is free, but on nodes that [go into maintenance](operations.md#maintenance) before its `max_time` is over; `until` says when they are back",
    because: "the free nodes go into maintenance before it would end",
    passed: "their nodes stay in use long enough",
    sentence: ({ maxTime }) =>
      maxTime
        ? "The free nodes go into maintenance before its max_time is over."
        : "The free nodes go into maintenance, and the job has no max_time and may not be preempted.",
    advice: "Submit it with a max_time that ends before; maintenance windows: tess node get",
    ends: "It starts after the maintenance, or now with a max_time that ends before.",
    inQueue: true,
    changeable: true,
  },
  order: {
    title: "others are ahead",
    check: "order",
    meaning: "it would fit, but jobs ahead of it would then start later",
    because: "other jobs are ahead of it",
    passed: "no other job is ahead",
    sentence: ({ ahead }) =>
      ahead === 0
        ? "It would fit, but a planned job would then start later."
        : `It would fit, but ${many(ahead, "job")} ahead of it would then start later.`,
    ends: "It starts once the jobs ahead of it have started.",
    inQueue: true,
    changeable: true,
  },
} as const satisfies { [Kind in ReasonKind]: ReasonText<ReasonValues[Kind]> };

/** The kinds in the order in which they are checked. */
export const reasonKinds = Object.keys(waitingReasons) as ReasonKind[];

/** What ends the wait of a job, in a sentence. */
export function whatEnds(reason: { readonly kind: ReasonKind } & Waits): string {
  const { ends }: Pick<ReasonText<never>, "ends"> = waitingReasons[reason.kind];
  return typeof ends === "string" ? ends : ends(reason);
}

/** What happened, in a sentence with amounts and places. */
export function reasonSentence({ kind, values, engines = [] }: Reason): string {
  const { sentence } = waitingReasons[kind] as ReasonText<typeof values>;
  return [sentence(values), ...engines.map(engineSentence)].join(" ");
}

/** What an engine that takes nothing new keeps from the job. */
function engineSentence({ name, cause, gpus: of, since }: EngineOut): string {
  const out = { away: "is out of reach", cordoned: "is cordoned", leaving: "is being removed" }[cause];
  const from = since === undefined ? "" : ` since ${instantText(since)}`;
  const what = of.gpus === 0 ? "its nodes are" : `its ${gpus(of)} ${are(of.gpus)}`;
  return `Engine ${name} ${out}${from}, and ${what} not offered.`;
}

function quotaSentence(values: ReasonValues["quota"]): string {
  switch (values.cause) {
    case "user":
      return `One user may hold at most ${many(values.gpusMax, "GPU")} in ${values.account}.`;
    case "cpu-members":
      return `${values.account} may run ${many(values.membersMax, "member")} without GPUs at a time.`;
    case "gpu-hours":
      return `${values.account} has used all GPU hours of this period.`;
    case "max": {
      const { account, what, max, held } = values;
      if (what === "memory") return `${account} may hold ${shortMemory(max)} of memory and holds ${shortMemory(held)}.`;
      const unit = what === "cpus" ? many(max, "core") : gpus({ gpus: max, model: what === "*" ? "" : what });
      return `${account} may hold ${unit} and holds ${held}.`;
    }
    case "not-lent":
      return `It would have to borrow, and the owners of ${many(values.gpus, "idle GPU")} do not lend them.`;
    case "not-preemptible": {
      const { guarantee } = values;
      const has =
        guarantee === undefined
          ? "no account on its path has a guarantee"
          : `${guarantee.account} is guaranteed ${many(guarantee.gpus, "GPU")} and holds ${guarantee.held}`;
      return `It may not be preempted, so it starts only inside a guarantee: ${has}. With preemptible: true it could borrow.`;
    }
  }
}

function shapeSentence(values: ReasonValues["shape"]): string {
  switch (values.cause) {
    case "together":
      return `${isFree(values.free)}, but no ${values.level} has room for all ${many(values.members, "member")}.`;
    case "spread":
      return `${isFree(values.free)}, but not in ${values.members} different places (${values.level}).`;
    case "one-node":
      return `${isFree(values.free)}, but at most ${values.largest} of the ${values.needed} on one node.`;
    case "scattered":
      return `${isFree(values.free)}, but scattered: room for ${values.fit} of ${many(values.members, "member")}.`;
    case "left-out":
      return `${isFree(values.free)}, but not on the ${many(values.leftOut.usable, "node")} that it may use: ${leftOutText(values.leftOut)}.`;
    case "apart-from": {
      const jobs =
        values.names === undefined ? "jobs that are kept apart from it" : `jobs named ${values.names.join(", ")}`;
      return `There is room, but only on nodes with ${jobs}.`;
    }
    case "parts-together":
      return `Parts of GPUs are free for all ${many(values.members, "member")}, but no ${values.level} has room for all of them.`;
    default:
      return besideSentence(values);
  }
}

/** Which nodes a job may not use, with the reason for each number of them. */
function leftOutText({
  engine,
  region,
  labels = [],
  engines = [],
  pools = [],
  dear = [],
  account,
}: NodesLeftOut): string {
  return [
    ...(engine === undefined ? [] : [`${areOf(engine.nodes)} not of engine ${engine.name}`]),
    ...(region === undefined ? [] : [`${areOf(region.nodes)} not in region ${region.name}`]),
    ...labels.map(({ label, nodes }) => `${many(nodes, "node")} without ${label}`),
    ...engines.map(({ name, nodes, lacks }) => `${lackText(name, lacks)} (${many(nodes, "node")})`),
    ...pools.map(({ name, nodes }) => `${areOf(nodes)} in the pool ${name}, which is closed to ${account}`),
    ...dear.map(({ name, nodes }) => `${areOf(nodes)} in the pool ${name}, which is dearer than its max_price allows`),
  ].join("; ");
}

function areOf(nodes: number): string {
  return `${many(nodes, "node")} ${are(nodes)}`;
}

type Beside = Extract<ReasonValues["capacity"], { cause: "cpus" | "memory" | "cpus-of-all" | "memory-of-all" }>;

/** There are GPUs enough; the cores or the memory beside them are what is missing. */
function besideSentence(values: Beside): string {
  switch (values.cause) {
    case "cpus":
      return `${nodesWith(values.each)} have at most ${many(values.mostMilli / 1000, "core")} free, and a member needs ${values.neededMilli / 1000}.`;
    case "memory":
      return `${nodesWith(values.each)} have at most ${shortMemory(values.mostMiB)} of memory free, and a member needs ${shortMemory(values.neededMiB)}.`;
    case "cpus-of-all":
    case "memory-of-all": {
      const what = values.cause === "cpus-of-all" ? "cores" : "memory";
      return `GPUs are free for all ${many(values.members, "member")}, but not the ${what} beside them.`;
    }
  }
}

function nodesWith(each: GpuCount): string {
  return each.gpus === 0 ? "Nodes" : `Nodes with ${gpus(each)} free`;
}

function isFree(free: GpuCount): string {
  return free.gpus === 0 ? "There is room" : `${gpus(free)} ${are(free.gpus)} free`;
}

function gpus({ gpus: count, model }: GpuCount): string {
  return many(count, gpuOf(model));
}

function gpuOf(model: string): string {
  return model === "" ? "GPU" : `${model} GPU`;
}

function many(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function are(count: number): string {
  return count === 1 ? "is" : "are";
}
