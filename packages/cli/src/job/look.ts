import { setTimeout as sleep } from "node:timers/promises";
import type { Job } from "@tessera/wire";
import { Outage } from "../failure.ts";
import type { Api } from "../http.ts";
import { type Change, watchList } from "../sse.ts";

export interface LookOptions {
  readonly signal: AbortSignal;
  readonly onOutage?: (outage: Outage) => void;
  readonly onBack?: () => void;
}

// The watched list says at once when to look; looking now and then anyway makes a lost message harmless.
const pauseMs = 2_000;
const pauseMsUnwatched = 300;
const outageMsMax = 300_000;

/** Looks at a job whenever it may have changed, until it has ended. Sits out a restart of the server. */
export async function* looksAt(
  api: Api,
  job: Pick<Job, "id" | "name" | "project">,
  options: LookOptions,
): AsyncGenerator<Job> {
  const bell = new Bell();
  const watching = new AbortController();
  const stop = () => watching.abort();
  options.signal.addEventListener("abort", stop);
  void ringOnChange(api, job, bell, watching.signal);
  try {
    while (!options.signal.aborted) {
      const seen = await lookOnce(api, job.id, options);
      if (seen === undefined) return;
      yield seen;
      if (seen.state === "ended") return;
      await bell.rung(bell.answered ? pauseMs : pauseMsUnwatched, options.signal);
    }
  } finally {
    stop();
    options.signal.removeEventListener("abort", stop);
  }
}

async function lookOnce(api: Api, id: string, { signal, onOutage, onBack }: LookOptions): Promise<Job | undefined> {
  const startedAt = performance.now();
  for (let tries = 0; !signal.aborted; tries += 1) {
    try {
      const job = await api.call("getJob", { at: { job: id }, signal });
      if (tries > 0) onBack?.();
      return job;
    } catch (error) {
      if (!(error instanceof Outage) || performance.now() - startedAt > outageMsMax) throw error;
      if (tries === 0) onOutage?.(error);
      await sleep(1_000, undefined, { signal }).catch(() => {});
    }
  }
  return undefined;
}

async function ringOnChange(
  api: Api,
  job: Pick<Job, "id" | "name" | "project">,
  bell: Bell,
  signal: AbortSignal,
): Promise<void> {
  try {
    for await (const change of watchList(api, "listJobs", { name: job.name, project: job.project }, { signal })) {
      bell.answered = true;
      if (concerns(change, job.id)) bell.ring();
    }
  } catch {
    bell.answered = false; // looking more often does the same, only slower
  }
}

function concerns(change: Change<Job>, id: string): boolean {
  if (change.event === "sync") return true;
  if (change.event === "delete") return change.id === id || change.id.startsWith(`${id}.`);
  return change.item.id === id || change.item.array?.id === id;
}

/** Rung when something may have changed; a ring that comes before the listener is kept. */
class Bell {
  answered = false;
  #ringing = false;
  #wake: (() => void) | undefined;

  ring(): void {
    this.#ringing = true;
    this.#wake?.();
  }

  async rung(msMax: number, signal: AbortSignal): Promise<void> {
    if (!this.#ringing) {
      const quiet = new AbortController();
      const leave = () => quiet.abort();
      signal.addEventListener("abort", leave);
      this.#wake = leave;
      await sleep(msMax, undefined, { signal: quiet.signal }).catch(() => {});
      signal.removeEventListener("abort", leave);
      this.#wake = undefined;
    }
    this.#ringing = false;
  }
}
