import {
  type AccountNo,
  type Command,
  ceilingHit,
  decideBatch,
  demandOf,
  hintText,
  type Instant,
  isInside,
  isRefusal,
  type Job,
  type JobNo,
  modelsFor,
  noAccount,
  type OperationId,
  type ReadonlyState,
  type Refusal,
  refusalText,
  SchedulerMemory,
  type State,
  type User,
} from "@tessera/core";
import type { PreviewShape } from "@tessera/wire";
import { aboveMax } from "../../render/account.ts";
import { gangGpus, heldGpus } from "../../render/job.ts";
import { timestamp } from "../../render/quantities.ts";
import { CountedJobs } from "./counted-jobs.ts";

type Effect = "losesClass" | "gainsClass" | "starts" | "pushedBack" | "heldBack";

interface Before {
  readonly state: Job["state"];
  readonly class: Job["class"];
  readonly isClaimant: boolean;
  /** It waits for a max. */
  readonly isAtMax: boolean;
  readonly gpus: number;
  readonly model: string;
}

/**
 * What an edit of an account would do at once, by the scheduler itself on a state that is then thrown away; or why it
 * would be refused.
 */
export function previewOf(
  copy: State,
  user: User,
  command: Extract<Command, { kind: "account.edit" }>,
  now: Instant,
): PreviewShape {
  const memory = new SchedulerMemory();
  // What is due anyway is not an effect of the command.
  decideBatch(copy, [], now, { memory });
  // An account that is not there any more is refused below.
  const edited = copy.accountByPath.get(command.path)?.no ?? noAccount;
  const before = new Map<JobNo, Before>([...copy.jobs.values()].map((job) => [job.no, standingOf(copy, job, edited)]));
  const asked = new Map<JobNo, Pick<Job, "id" | "spec" | "account">>();
  for (const { no, id, spec, account } of copy.jobs.values()) asked.set(no, { id, spec, account });
  const actor = { user: user.id };
  const input = { kind: "command", v: 1, op: "preview" as OperationId, actor, request: "preview", command } as const;
  const [decision] = decideBatch(copy, [input], now, { memory }).decisions;
  if (isRefusal(decision)) return { at: timestamp(now), whyNot: mistakeOf(decision), byModel: [] };
  const effects = new Effects(copy, user);
  for (const [no, was] of before) {
    const effect = effectOn(copy, was, copy.jobs.get(no), edited);
    if (effect !== undefined) effects.add(effect, was, asked.get(no)!);
  }
  return { at: timestamp(now), ...aboveMax(copy, copy.accounts[edited]!), byModel: effects.byModel() };
}

function mistakeOf(refusal: Refusal): PreviewShape["whyNot"] {
  return { field: refusal.field, message: refusalText(refusal), fix: hintText(refusal) };
}

function standingOf(state: ReadonlyState, job: Job, edited: AccountNo): Before {
  const { fleet } = state;
  const gpu = job.leases[0]?.gpus[0];
  return {
    state: job.state,
    class: job.class,
    isClaimant: job.claim !== undefined,
    isAtMax: isAtMax(state, job, edited),
    gpus: job.state === "waiting" ? gangGpus(job.spec, job.choice) : heldGpus(job.leases),
    model: gpu === undefined ? job.spec.gpus[job.choice]!.model : fleet.models[fleet.gpuModel[gpu]!]!,
  };
}

/** Whether a job that waits in this account or below would exceed a max, whatever GPUs it takes. */
function isAtMax(state: ReadonlyState, job: Job, account: AccountNo): boolean {
  if (job.state !== "waiting" || !isInside(state, job.account, account)) return false;
  const exceeds = (choice: number, model: number) =>
    ceilingHit(state, job.account, demandOf(state, job, choice, model)) !== undefined;
  return job.spec.gpus.every((_, choice) => modelsFor(state, job, choice).every((model) => exceeds(choice, model)));
}

function effectOn(state: ReadonlyState, was: Before, job: Job | undefined, edited: AccountNo): Effect | undefined {
  if (was.state === "waiting") {
    if (job === undefined) return undefined;
    if (job.state !== "waiting" || (job.claim !== undefined && !was.isClaimant)) return "starts";
    return !was.isAtMax && isAtMax(state, job, edited) ? "heldBack" : undefined;
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
      heldBack: fresh(),
    };
    this.#models.set(model, ofModel);
    ofModel[effect].add(job, gpus);
  }

  byModel(): PreviewShape["byModel"] {
    return [...this.#models]
      .map(([model, { losesClass, gainsClass, starts, pushedBack, heldBack }]) => ({
        ...{ model, losesClass: losesClass.shown(), gainsClass: gainsClass.shown() },
        ...{ starts: starts.shown(), pushedBack: pushedBack.shown(), heldBack: heldBack.shown() },
      }))
      .sort((a, b) => (a.model < b.model ? -1 : 1));
  }
}
