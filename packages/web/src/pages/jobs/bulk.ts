import type { Job } from "@tessera/wire";
import { mayDo } from "../../design/may-do.ts";
import { count, spellNumber } from "../../format/numbers.ts";
import { jobsAndElements, type Stopping, stopWords, whatStops } from "./what-stops.ts";

export const bulkActs = ["cancel", "hold", "release", "priority"] as const;
export type BulkAct = (typeof bulkActs)[number];

type Fields = Stopping & Pick<Job, "held" | "may">;

/** The route behind each act. */
export const routeOf = { cancel: "cancelJob", hold: "holdJob", release: "releaseJob", priority: "editJob" } as const;

/** Whether the act changes anything about this job, and the user may do it. */
export function concerns(act: BulkAct, { state, held, may, elements }: Fields): boolean {
  if (!mayDo(routeOf[act], { may })) return false;
  if (act === "cancel") return state !== "ended";
  // Its waiting elements are held, released and edited, also while others run; some of them may be held and some not.
  if (elements !== undefined) return elements.waiting > 0;
  return state === "waiting" && (act === "priority" || held === (act === "release"));
}

interface EffectOptions {
  /** How many of those chosen have left the list. */
  readonly left?: number;
  /** The one that is given, once it can be read. */
  readonly priority?: number | undefined;
}

/** What the act does to these jobs, and how many of those chosen it leaves as they are. */
export function effectOf(act: BulkAct, jobs: readonly Fields[], { left = 0, priority }: EffectOptions = {}): string {
  const changed = jobs.filter((job) => concerns(act, job));
  const same = jobs.length - changed.length;
  return [
    sentenceOf(act, changed, priority),
    ...(same === 0
      ? []
      : [`${count(same, "job")} of those chosen ${same === 1 ? "stays as it is" : "stay as they are"}.`]),
    ...(left === 0
      ? []
      : [
          `${count(left, "job")} left the list since ${left === 1 ? "it was" : "they were"} chosen and ${left === 1 ? "is" : "are"} not touched.`,
        ]),
  ].join(" ");
}

/** What priority jobs have that can be given another one. */
export function prioritiesOf(jobs: readonly Pick<Job, "priority">[]): { least: number; most: number } | undefined {
  if (jobs.length === 0) return undefined;
  const all = jobs.map(({ priority }) => priority);
  return { least: Math.min(...all), most: Math.max(...all) };
}

function sentenceOf(act: BulkAct, jobs: readonly Fields[], priority: number | undefined): string {
  const { waiting, waitingElements, runningElements } = whatStops(jobs);
  const changed = jobsAndElements(waiting, waitingElements);
  const isOne = waiting + waitingElements === 1;
  const runOn =
    runningElements === 0
      ? ""
      : ` ${count(runningElements, "running element")} ${runningElements === 1 ? "stays as it is" : "stay as they are"}.`;
  if (jobs.length === 0) return "Nothing would change.";
  switch (act) {
    case "cancel":
      return `${count(jobs.length, "job")} ${jobs.length === 1 ? "is" : "are"} cancelled for good. ${stopWords(jobs)}`;
    case "hold":
      return `${changed} will not start until released.${runOn}`;
    case "release":
      return `${changed} may start.${runOn}`;
    case "priority":
      return `${changed} ${isOne ? "gets" : "get"} ${priority === undefined ? "this priority" : `priority ${spellNumber(priority)}`} and ${isOne ? "keeps its place" : "keep their places"} among equals.${runOn}`;
  }
}

/** Does one thing after the other, a few at once, and tells how far it is; gives what was refused, by name. */
export async function doEach<Item>(
  items: readonly Item[],
  one: (item: Item) => Promise<unknown>,
  onDone: (done: number) => void,
): Promise<{ item: Item; error: unknown }[]> {
  const refused: { item: Item; error: unknown }[] = [];
  const waiting = [...items];
  let done = 0;
  const work = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      await one(item).catch((error: unknown) => refused.push({ item: item!, error }));
      onDone(++done);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return refused;
}

const atOnce = 4;
