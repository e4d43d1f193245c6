import { type IdleRule, type Instant, idleRuleFor, idleWarningMs, type Job, type JobId } from "@tessera/core";
import type { TelemetryRow } from "@tessera/telemetry";
import type { Asker, ControlPlane } from "../control.ts";

/** What the user of an idle job was told. */
export interface IdleWarning {
  readonly since: Instant;
  /** The most that one of its GPUs did since then, in ten-thousandths. */
  readonly activity: number;
  /** The limit of its rule, likewise. */
  readonly below: number;
  readonly does: IdleRule["do"];
  readonly actsAt: Instant;
}

type Watched = Pick<ControlPlane, "state" | "ask">;

/** A job of which every sample so far was below its limit. */
interface Dozing {
  readonly attempt: number;
  readonly since: Instant;
  /** The end of the last samples. */
  until: Instant;
  /** The most that one of its GPUs did since then, in ten-thousandths. */
  activity: number;
  told: "nothing" | "warned" | "acted";
}

/** Samples of all GPUs of one job, taken together. */
interface Sight {
  readonly gpus: Set<string>;
  begin: Instant;
  until: Instant;
  activity: number;
  /** Some GPU was sampled, and its activity not measured. */
  gap: boolean;
}

/** Samples follow each other by the engine's clock, which has no gaps; this much is lost by rounding. */
const seamMs = 1_000;
/** A job that no sample tells of for so long is forgotten: its time begins again. */
const forgottenMs = 10 * 60_000;
const system: Asker = { actor: { user: "system" }, request: "idle-watch" };

/**
 * Follows jobs whose GPUs are idle, by the samples as they come in, and tells the core [L4]. A job of which a GPU was
 * not measured is not idle [S35]: a gap begins its time again, and so does a restart of the server.
 */
export class IdleWatch {
  readonly #control: Watched;
  readonly #dozing = new Map<JobId, Dozing>();

  readonly #warn: (text: string) => void;

  constructor(control: Watched, warn: (text: string) => void) {
    this.#control = control;
    this.#warn = warn;
  }

  /** Samples of one engine, all of one time. A gang is in one engine, so all its GPUs are among them. */
  async see(rows: readonly TelemetryRow[]): Promise<void> {
    const { state } = this.#control;
    const due: (() => Promise<void>)[] = [];
    let newest = 0;
    for (const [id, sight] of sightsOf(rows)) {
      newest = Math.max(newest, sight.until);
      const job = state.jobById.get(id);
      const rule = job === undefined ? undefined : idleRuleFor(state, job);
      const dozing = rule === undefined ? undefined : this.#follow(job!, rule, sight);
      if (dozing === undefined) this.#dozing.delete(id);
      else due.push(() => this.#tell(job!, rule!, dozing));
    }
    for (const [id, { until }] of this.#dozing) if (until < newest - forgottenMs) this.#dozing.delete(id);
    for (const tell of due) await tell();
  }

  /** The warning that holds for a job: one that works again has none, nor has one that is being stopped. */
  warningOf(job: Job): IdleWarning | undefined {
    const dozing = this.#dozing.get(job.id);
    const rule = idleRuleFor(this.#control.state, job);
    if (job.state !== "running" || dozing?.attempt !== job.attempt) return undefined;
    if (dozing.told === "nothing" || rule === undefined) return undefined;
    const { since, activity } = dozing;
    return { since, activity, below: rule.gpuBelow, does: rule.do, actsAt: since + rule.forMs };
  }

  /** What is known of the job with these samples; undefined where it is not idle. */
  #follow(job: Job, rule: IdleRule, sight: Sight): Dozing | undefined {
    const gpus = job.leases.reduce((sum, lease) => sum + lease.gpus.length, 0);
    const isIdle = !sight.gap && sight.gpus.size === gpus && sight.activity < rule.gpuBelow;
    if (job.state !== "running" || !isIdle) return undefined;
    const known = this.#dozing.get(job.id);
    if (known?.attempt === job.attempt && sight.begin <= known.until + seamMs) {
      known.until = sight.until;
      known.activity = Math.max(known.activity, sight.activity);
      return known;
    }
    const { attempt, startedAt } = job;
    const { until, activity } = sight;
    const fresh: Dozing = { attempt, since: Math.max(sight.begin, startedAt), until, activity, told: "nothing" };
    this.#dozing.set(job.id, fresh);
    return fresh;
  }

  async #tell({ id }: Job, rule: IdleRule, dozing: Dozing): Promise<void> {
    const idleMs = dozing.until - dozing.since;
    const { attempt, since, activity, told } = dozing;
    const reached = idleMs >= rule.forMs;
    const warns = rule.do !== "notify" && idleMs >= rule.forMs - idleWarningMs(rule);
    if (told === "acted" || !(reached || (warns && told === "nothing"))) return;
    try {
      await this.#control.ask({ kind: "job.idle", job: id, attempt, since, activity }, system);
      dozing.told = reached ? "acted" : "warned";
    } catch (error) {
      // It is told with the next samples; what is not told is not done.
      this.#warn(`job ${id} is idle and could not be told of: ${(error as Error).message}`);
    }
  }
}

function sightsOf(rows: readonly TelemetryRow[]): Map<JobId, Sight> {
  const sights = new Map<JobId, Sight>();
  for (const { job, lease, gpu, at, spanMs, metrics } of rows) {
    if (job === undefined) continue;
    const sight = sights.get(job) ?? { gpus: new Set(), begin: 0, until: at, activity: 0, gap: false };
    sights.set(job, sight);
    sight.gpus.add(`${lease} ${gpu}`);
    // The time that all of its GPUs were measured: from the last begin to the first end.
    sight.begin = Math.max(sight.begin, at - spanMs);
    sight.until = Math.min(sight.until, at);
    if (metrics.smActive === undefined) sight.gap = true;
    else sight.activity = Math.max(sight.activity, metrics.smActive);
  }
  return sights;
}
