import type { Dice } from "../prove/dice.ts";
import type { Task, TaskList } from "./read.ts";

export interface Arrival extends Task {
  /** `name`, or `name#2` when it was drawn again. */
  readonly drawn: string;
}

/** How tasks follow each other: shuffled, or as the file sorts them. */
export type Order = "shuffled" | "file";

/** GPU demand offered in all, as a share of the capacity. */
const inflation = 1.3;

/**
 * The tasks of one run. Rows are added by chance until the demand would pass the target, or taken away until it is
 * there. Rows are counted with the share of one device, as the published runs did.
 */
export function arrivalsOf(list: TaskList, capacityMilli: number, order: Order, dice: Dice): Arrival[] {
  const { tasks, kinds } = list;
  const target = inflation * capacityMilli;
  const demandOf = ({ kind }: Task) => kinds[kind]!.gpus * kinds[kind]!.milli;
  const arrivals: Arrival[] = tasks.map((task) => ({ ...task, drawn: task.name }));
  if (order === "shuffled") shuffle(arrivals, dice);
  let demand = tasks.reduce((sum, task) => sum + demandOf(task), 0);
  if (demand > target) {
    while (demand > target) {
      const [gone] = arrivals.splice(dice.whole(0, arrivals.length - 1), 1);
      demand -= demandOf(gone!);
    }
    return arrivals;
  }
  const times = new Map<string, number>();
  while (demand > 0) {
    const task = dice.pick(tasks);
    if (demand + kinds[task.kind]!.milli > target) break;
    const again = (times.get(task.name) ?? 1) + 1;
    times.set(task.name, again);
    arrivals.push({ ...task, drawn: `${task.name}#${again}` });
    demand += demandOf(task);
  }
  return arrivals;
}

/** Puts the items in an order that is as likely as any other. */
export function shuffle(items: unknown[], dice: Dice): void {
  for (let at = items.length - 1; at > 0; at--) {
    const other = dice.whole(0, at);
    [items[at], items[other]] = [items[other], items[at]];
  }
}
