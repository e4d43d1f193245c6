import type { Job } from "@tessera/wire";
import { mayDo } from "../../design/may-do.ts";
import { count, spellGpus } from "../../format/numbers.ts";

export const bulkActs = ["cancel", "hold", "release", "priority"] as const;
export type BulkAct = (typeof bulkActs)[number];

type Fields = Pick<Job, "state" | "held" | "gpus" | "may">;

/** The route behind each act. */
export const routeOf = { cancel: "cancelJob", hold: "holdJob", release: "releaseJob", priority: "editJob" } as const;

/** Whether the act changes anything about this job, and the user may do it. */
export function concerns(act: BulkAct, { state, held, may }: Fields): boolean {
  if (!mayDo(routeOf[act], { may })) return false;
  switch (act) {
    case "cancel":
      return state !== "ended";
    case "hold":
      return state === "waiting" && !held;
    case "release":
      return state === "waiting" && held;
    case "priority":
      return state === "waiting";
  }
}

/** What the act does to these jobs, and which of them it leaves as they are. */
export function effectOf(act: BulkAct, jobs: readonly Fields[]): string {
  const changed = jobs.filter((job) => concerns(act, job));
  const left = jobs.length - changed.length;
  const rest =
    left === 0
      ? ""
      : ` ${count(left, "job")} of those chosen ${left === 1 ? "stays" : "stay"} as ${left === 1 ? "it is" : "they are"}.`;
  return `${sentenceOf(act, changed)}${rest}`;
}

function sentenceOf(act: BulkAct, jobs: readonly Fields[]): string {
  const many = count(jobs.length, "job");
  if (jobs.length === 0) return "Nothing would change.";
  switch (act) {
    case "cancel": {
      const active = jobs.filter(({ state }) => state !== "waiting");
      const gpus = active.reduce((sum, job) => sum + job.gpus, 0);
      const waiting = jobs.length - active.length;
      const stops =
        active.length === 0
          ? ""
          : ` ${count(active.length, "job")} ${active.length === 1 ? "stops" : "stop"} and ${active.length === 1 ? "releases" : "release"} ${spellGpus(gpus)}.`;
      const never = waiting === 0 ? "" : ` ${count(waiting, "job")} will not start.`;
      return `${many} ${jobs.length === 1 ? "is" : "are"} cancelled for good.${stops}${never}`;
    }
    case "hold":
      return `${many} will not start until released.`;
    case "release":
      return `${many} may start.`;
    case "priority":
      return `${many} ${jobs.length === 1 ? "gets" : "get"} this priority and ${jobs.length === 1 ? "keeps its place" : "keep their places"} among equals.`;
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
