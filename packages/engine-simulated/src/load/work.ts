import { type JobType, unitsPerGpu } from "@tessera/core";
import { chance, seedOf } from "./chance.ts";

/** What a member does on its GPUs, in so far as it can be seen from outside. Made once; its load at any time follows from it. */
export interface Work {
  readonly type: JobType;
  /** Of the job: its members save at the same moments. */
  readonly rhythm: number;
  /** Of the member. */
  readonly seed: number;
  readonly startedAt: number;
  /** The part of each GPU that it has: thousandths of compute and of memory. */
  readonly compute: number;
  readonly memory: number;
  /** It talks to other GPUs. */
  readonly gang: boolean;
  /** It holds its GPUs and does nothing: forgotten, hung, or waiting. */
  readonly idle: boolean;
  /** How much of what its SMs do is matrix products, and how much of the memory's bandwidth they draw: from 0 to 1. */
  readonly tensor: number;
  readonly bandwidth: number;
}

export interface WorkAsk {
  readonly job: string;
  readonly lease: string;
  readonly type?: JobType;
  readonly startedAt: number;
  readonly gpus: number;
  readonly size: number;
  /** Of one GPU, in units of `unitsPerGpu`; absent = whole. */
  readonly part?: { readonly compute: number; readonly memory: number };
}

/** Of a hundred jobs of each kind, how many only hold their GPUs. */
const idleOfHundred: { readonly [Type in JobType]: number } = { train: 6, batch: 8, service: 10, notebook: 35 };

export function workOf(ask: WorkAsk): Work {
  const { type = "batch", startedAt, part } = ask;
  const rhythm = seedOf(ask.job);
  const thousandths = (units: number) => Math.round((units * 1000) / unitsPerGpu);
  return {
    ...{ type, rhythm, seed: seedOf(ask.lease), startedAt },
    compute: part === undefined ? 1000 : thousandths(part.compute),
    memory: part === undefined ? 1000 : thousandths(part.memory),
    gang: ask.size > 1 || ask.gpus > 1,
    idle: chance(rhythm, 1) * 100 < idleOfHundred[type],
    tensor: (type === "train" ? 0.6 : 0.3) + 0.3 * chance(rhythm, 3),
    bandwidth: 0.25 + 0.5 * chance(rhythm, 4),
  };
}

const second = 1_000;
const minute = 60 * second;
const day = 24 * 60 * minute;

/** How busy the SMs of its own part are at this time, from 0 to 1. */
export function activityOf(work: Work, at: number): number {
  const ranMs = at - work.startedAt;
  if (ranMs < 0) return 0;
  if (work.idle) return ranMs < 10 * minute ? 0.3 * chance(work.seed, Math.floor(at / minute)) : 0;
  const noise = chance(work.seed, Math.floor(at / (10 * second)));
  switch (work.type) {
    case "train":
      return isSaving(work, ranMs) ? 0.02 * noise : level(work, 0.82, 0.95) + 0.05 * noise;
    case "batch":
      return isReading(work, ranMs) ? 0.1 * noise : level(work, 0.5, 0.9) + 0.08 * noise;
    case "service":
      return (0.12 + 0.5 * dayCurve(work, at)) * (0.6 + 0.8 * noise);
    case "notebook":
      return isAtIt(work, at) ? 0.2 + 0.7 * noise : 0;
  }
}

/** The share of the memory of its own part that it holds, from 0 to 1. */
export function memoryOf(work: Work, at: number): number {
  if (at < work.startedAt) return 0;
  const loaded = Math.min(1, (at - work.startedAt + second) / minute);
  const [least, most] = memoryRanges[work.type];
  return (least + (most - least) * chance(work.rhythm, 2)) * loaded;
}

const memoryRanges: { readonly [Type in JobType]: readonly [number, number] } = {
  train: [0.55, 0.95],
  batch: [0.2, 0.8],
  service: [0.15, 0.9],
  notebook: [0.02, 0.4],
};

function level(work: Work, least: number, most: number): number {
  return least + (most - least) * chance(work.rhythm, 5);
}

/** Every 8 to 30 minutes it writes a checkpoint, which takes 20 to 60 seconds; it has read its data before. */
function isSaving(work: Work, ranMs: number): boolean {
  const everyMs = (8 + 22 * chance(work.rhythm, 6)) * minute;
  const savesMs = (20 + 40 * chance(work.rhythm, 7)) * second;
  return ranMs < 45 * second || ranMs % everyMs > everyMs - savesMs;
}

/** It reads for 20 seconds of each five minutes. */
function isReading(work: Work, ranMs: number): boolean {
  return (ranMs + 5 * minute * chance(work.rhythm, 9)) % (5 * minute) < 20 * second;
}

/** From 0 in the small hours to 1 at its busiest time of the day. */
function dayCurve(work: Work, at: number): number {
  const peakAt = (11 + 6 * chance(work.rhythm, 8)) / 24;
  return 0.5 + 0.5 * Math.cos(2 * Math.PI * ((at % day) / day - peakAt));
}

/** A person runs a cell now and then, in the daytime. */
function isAtIt(work: Work, at: number): boolean {
  const hour = (at % day) / (60 * minute);
  return hour >= 7 && hour < 19 && chance(work.rhythm, Math.floor(at / (2 * minute)) + 100) < 0.15;
}
