import { workerData } from "node:worker_threads";
import { systemClock } from "@tessera/engine";
import { leasedIn } from "../../flow/meter/leased.ts";
import { BudgetWatch } from "../../flow/watch/budget-watch.ts";
import { JobBudgetWatch } from "../../flow/watch/job-budget-watch.ts";
import { openReader } from "../../store/index.ts";
import { ReplicaControl } from "../../work/replica-control.ts";
import { type TaskContext, TaskThread, yieldToOthers } from "../../work/thread.ts";
import { gatherCosts } from "../metrics/cost-metrics.ts";
import { Answering } from "./answering.ts";
import type { AnsweringConfig, AnsweringTasks } from "./tasks.ts";

/** The thread that answers what may take long, from a state of its own. */
yieldToOthers();
const config = workerData as AnsweringConfig;
const thread = new TaskThread();

interface Opened {
  readonly control: ReplicaControl;
  readonly answering: Answering;
}

async function open(): Promise<Opened> {
  const control = await ReplicaControl.open(await openReader(config.store), thread);
  return { control, answering: await Answering.open(control, config) };
}

const opening = open();

async function begin(context: TaskContext): Promise<Opened> {
  const opened = await opening;
  await opened.control.begin(context);
  return opened;
}

thread.serve<AnsweringTasks>(
  {
    answer: async (call, context) => (await begin(context)).answering.answer(call),
    keepUp: async (_, context) => {
      await begin(context);
      return null;
    },
    costs: async (_, context) => {
      const { control } = await begin(context);
      return gatherCosts(control, control.now());
    },
    leased: async (span, context) => leasedIn((await begin(context)).control, context.seq, span),
    lookAtBudgets: async (_, context) => new BudgetWatch((await begin(context)).control, systemClock).look(),
    lookAtJobBudgets: async (_, context) => new JobBudgetWatch((await begin(context)).control, systemClock).look(),
  },
  opening,
);
