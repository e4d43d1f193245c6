import {
  type Input,
  type Job,
  type JobId,
  type JobNo,
  type PriceVersion,
  type Refusal,
  readSnapshot,
  unitsPerGpu,
  versionAt,
} from "@tessera/core";
import { BadInput, DirectEngine, Kernel, type OwnEnd } from "@tessera/sim";
import type { Change } from "./change.ts";
import { CostBook, type Costs } from "./cost.ts";
import type { History } from "./history.ts";
import { type Tallied, Tally } from "./tally.ts";

/** What would have become of everybody. */
export interface Rerun extends Tallied {
  /** Undefined where nothing has a price. */
  readonly costs: Costs | undefined;
  /** The price list at the end. */
  readonly prices: PriceVersion | undefined;
  /** GPU time that the fleet had. */
  readonly capacityGpuMs: number;
  /** Commands that are refused, and why. */
  readonly refused: readonly string[];
  /** Jobs that ran on to the end of the time looked at, because the past does not tell how long they take. */
  readonly endUnknown: number;
}

/** Lets a part of the past happen again on the product's core, with what was asked and the true run times. */
export function rerun(history: History, change: Change): Rerun {
  const state = readSnapshot(history.snapshot);
  const tally = new Tally(history.from, state);
  const costs = new CostBook(history.from, state);
  const unknown = new Set<JobId>();
  const refused: string[] = [];
  let founding = true;
  const kernel = new Kernel(state, history.from, {
    before: (event) => {
      tally.see(event, state);
      costs.see(event, state);
    },
    after: (event) => engine.obey(event, state),
    refused: (input, refusal) => {
      if (founding) throw new BadInput(`the change is refused: ${refusalText(input, refusal)}`);
      if (input.kind === "command") refused.push(refusalText(input, refusal));
    },
  });
  const endOf = (job: Job): OwnEnd => {
    const ends = history.ends.get(job.id);
    const end = ends?.[Math.min(job.failures, ends.length - 1)];
    if (end === undefined) unknown.add(job.id);
    return end ?? { runMs: Number.POSITIVE_INFINITY, code: 0 };
  };
  const leaveMs = (job: JobNo, graceMs: number) =>
    Math.min(graceMs, history.leaves.get(state.jobs.get(job)!.id) ?? history.leaveMs ?? graceMs);
  const { startMs, handoverMs } = history;
  const engine = new DirectEngine(kernel, { startMs, handoverMs, endOf, leaveMs, onLost: () => {} });
  for (const command of change.initial(state)) kernel.ask(command);
  kernel.settle();
  founding = false;
  engine.adopt(state, (job) => history.saved.get(job.id) ?? 0);
  let capacityGpuMs = 0;
  for (let next = 0; ; ) {
    const at = Math.min(
      history.commands[next]?.at ?? Number.POSITIVE_INFINITY,
      kernel.clock.nextAt() ?? Number.POSITIVE_INFINITY,
      kernel.nextAt ?? Number.POSITIVE_INFINITY,
      history.to,
    );
    capacityGpuMs += (state.fleet.totals.gpuUnits / unitsPerGpu) * (at - kernel.clock.now());
    kernel.clock.advanceTo(at);
    for (; (history.commands[next]?.at ?? Number.POSITIVE_INFINITY) <= at; next++) {
      const { input } = history.commands[next]!;
      kernel.put({ ...input, command: change.amend(input.command) });
    }
    kernel.settle();
    if (at >= history.to) break;
  }
  const priced = costs.finish(state, history.to);
  const prices = versionAt({ versions: state.books.versions, contracts: [] }, history.to - 1);
  return {
    ...tally.finish(state, history.to),
    costs: priced,
    prices,
    capacityGpuMs,
    refused,
    endUnknown: unknown.size,
  };
}

function refusalText(input: Input, { field, value, detail, hint }: Refusal): string {
  const command = input.kind === "command" ? input.command : undefined;
  const of = command === undefined ? "" : `${command.kind}${"path" in command ? ` ${command.path}` : ""}: `;
  return `${of}${field} ${JSON.stringify(value)}: ${detail}; ${hint}`;
}
