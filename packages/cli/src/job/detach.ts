import { setTimeout as sleep } from "node:timers/promises";
import type { Job } from "@tessera/wire";
import { exit, platformEnd } from "../exit.ts";
import type { Api } from "../http.ts";
import { askYesNo, canAsk } from "../prompt.ts";
import type { Session } from "../session.ts";

const secondThoughtMs = 2_000;

/** Ctrl-C while jobs are followed: the first leaves them running, a second soon after offers to cancel them. */
export class Interrupts {
  readonly #session: Session;
  readonly #first = new AbortController();
  readonly #second = new AbortController();
  readonly #release: () => void;

  constructor(session: Session) {
    this.#session = session;
    this.#release = session.terminal.onInterrupt(() => {
      if (this.#first.signal.aborted) this.#second.abort();
      else this.#first.abort();
    });
  }

  get signal(): AbortSignal {
    return this.#first.signal;
  }

  release(): void {
    this.#release();
  }

  /** Says that the jobs go on, and answers the exit code. */
  async detach(api: Api, jobs: readonly Pick<Job, "id" | "name">[]): Promise<number> {
    const session = this.#session;
    const names = jobs.map(({ name }) => name).join(", ");
    const goOn = `Detached: ${names} ${jobs.length === 1 ? "goes" : "go"} on (tess logs -f ${jobs[0]?.name ?? ""}).`;
    if (!canAsk(session)) {
      await session.note(goOn);
      return exit.interrupted;
    }
    await session.note(`\n${goOn} Ctrl-C again to cancel.`);
    await sleep(secondThoughtMs, undefined, { signal: this.#second.signal }).catch(() => {});
    if (!this.#second.signal.aborted || !(await askYesNo(session, `\nCancel ${names}?`))) return exit.interrupted;
    for (const { id } of jobs) await api.call("cancelJob", { at: { job: id }, body: {} });
    await session.note(`Cancelled ${names}.`);
    return platformEnd.cancelled;
  }
}
