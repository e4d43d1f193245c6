import {
  type Command,
  decideBatch,
  type Instant,
  isRefusal,
  type Job,
  type JobNo,
  type OperationId,
  type ReadonlyState,
  SchedulerMemory,
  type State,
  type User,
} from "@tessera/core";
import type { PreviewShape } from "@tessera/wire";
import { gangGpus, heldGpus } from "../../render/job.ts";
import { timestamp } from "../../render/quantities.ts";
import { CountedJobs } from "./counted-jobs.ts";

type Effect = "losesClass" | "gainsClass" | "starts" | "pushedBack";

interface Before {
  readonly state: Job["state"];
  readonly class: Job["class"];
  readonly isClaimant: boolean;
  readonly gpus: number;
  readonly model: string;
}

/** What a command would do at once, by the scheduler itself on a state that is then thrown away; or why it would be refused. */
export function previewOf(copy: State, user: User, command: Command, now: Instant): PreviewShape {
  const memory = new SchedulerMemory();
  // What is due anyway is not an effect of the command.
  decideBatch(copy, [], now, { memory });
  const before = new Map<JobNo, Before>([...copy.jobs.values()].map((job) => [job.no, standingOf(copy, job)]));
  const asked = new Map<JobNo, Pick<Job, "id" | "spec" | "account">>();
  for (const { no, id, spec, account } of copy.jobs.values()) asked.set(no, { id, spec, account });
  const actor = { user: user.id };
  const input = { kind: "command", v: 1, op: "preview" as OperationId, actor, request: "preview", command } as const;
  const [decision] = decideBatch(copy, [input], now, { memory }).decisions;
  if (isRefusal(decision))
    return { at: timestamp(now), whyNot: `${decision.detail} ${decision.hint}`.trim(), byModel: [] };
  const effects = new Effects(copy, user);
  for (const [no, was] of before) {
    const effect = effectOn(was, copy.jobs.get(no));
    if (effect !== undefined) effects.add(effect, was, asked.get(no)!);
  }
  return { at: timestamp(now), byModel: effects.byModel() };
}

function standingOf({ fleet }: State, job: Job): Before {
  const gpu = job.leases[0]?.gpus[0];
  return {
    state: job.state,
    class: job.class,
    isClaimant: job.claim !== undefined,
    gpus: job.state === "waiting" ? gangGpus(job.spec, job.choice) : heldGpus(job.leases),
    model: gpu === undefined ? job.spec.gpus[job.choice]!.model : fleet.models[fleet.gpuModel[gpu]!]!,
  };
}

function effectOn(was: Before, job: Job | undefined): Effect | undefined {
  if (was.state === "waiting") {
    const starts = job !== undefined && (job.state !== "waiting" || (job.claim !== undefined && !was.isClaimant));
    return starts ? "starts" : undefined;
  }
  if (was.state === "stopping") return undefined;
  if (job === undefined || job.state === "stopping" || job.state === "waiting") return "pushedBack";
  if (job.class === was.class) return undefined;
  return was.class === "guaranteed" ? "losesClass" : "gainsClass";
}

class Effects {
  readonly #fresh: () => CountedJobs;
  readonly #models = new Map<string, Record<Effect, CountedJobs>>();

  constructor(state: ReadonlyState, user: User) {
    this.#fresh = () => new CountedJobs(state, user);
  }

  add(effect: Effect, { model, gpus }: Before, job: Pick<Job, "id" | "spec" | "account">): void {
    const fresh = this.#fresh;
    const ofModel = this.#models.get(model) ?? {
      losesClass: fresh(),
      gainsClass: fresh(),
      starts: fresh(),
      pushedBack: fresh(),
    };
    this.#models.set(model, ofModel);
    ofModel[effect].add(job, gpus);
  }

  byModel(): PreviewShape["byModel"] {
    return [...this.#models]
      .map(([model, { losesClass, gainsClass, starts, pushedBack }]) => ({
        ...{ model, losesClass: losesClass.shown(), gainsClass: gainsClass.shown() },
        ...{ starts: starts.shown(), pushedBack: pushedBack.shown() },
      }))
      .sort((a, b) => (a.model < b.model ? -1 : 1));
  }
}
