import { Caller } from "./caller.ts";
import { Gate } from "./gate.ts";
import type { History, Submission } from "./history.ts";
import type { Target } from "./target.ts";
import { jobScript } from "./truth.ts";

/** GPUs of a kind of their own, so that they are full at all times whatever the other clients do. */
export const lentModel = "A100";
export const lentGpus = 8;
const borrowedEach = 2;

/**
 * An owner whose guaranteed GPUs are borrowed to the last one whenever it returns, and the borrower, whose jobs take a
 * moment to leave when they are signalled. Seats change hands all the time, so that kills hit every phase of it.
 */
export class Lenders {
  readonly gate = new Gate();
  readonly #owner: Caller;
  readonly #borrower: Caller;
  readonly #random: () => number;
  readonly #truth: string;
  readonly #borrowed: Submission[] = [];
  #count = 0;

  constructor(target: Target, random: () => number, truth: string) {
    this.#random = random;
    this.#truth = truth;
    this.#owner = new Caller("owner", target);
    this.#borrower = new Caller("borrower", target);
  }

  get histories(): readonly History[] {
    return [this.#owner.history, this.#borrower.history];
  }

  async open(): Promise<void> {
    await this.#owner.openAccount({ guarantee: { [lentModel]: lentGpus } });
    await this.#borrower.openAccount();
  }

  async work(): Promise<void> {
    while (await this.gate.pass()) {
      await this.#borrowRest();
      await this.#sleep(200 + this.#random() * 400);
      await this.#comeBack();
    }
  }

  async repeatAll(): Promise<void> {
    await this.#owner.repeatAll();
    await this.#borrower.repeatAll();
  }

  /** As many jobs as have room, and one that waits. */
  async #borrowRest(): Promise<void> {
    for (const submission of [...this.#borrowed]) {
      if (await this.#borrower.hasEnded(submission)) this.#borrowed.splice(this.#borrowed.indexOf(submission), 1);
    }
    while (this.#borrowed.length <= lentGpus / borrowedEach) {
      // Some ignore the signal and are still there when their grace is over.
      const stubborn = this.#random() < 0.1;
      const submission = this.#submissionOf(this.#borrower, borrowedEach, {
        nap: 2 + this.#random() * 2,
        leave: stubborn ? 60 : this.#random(),
        checkpoint: { signal: "SIGUSR1", grace: "2s" },
      });
      this.#borrowed.push(submission);
      await this.#borrower.submit(submission);
    }
  }

  /** A job of the owner takes back what it needs, and is over before the next one. */
  async #comeBack(): Promise<void> {
    const gpus = 1 + Math.floor(this.#random() * lentGpus);
    const submission = this.#submissionOf(this.#owner, gpus, { nap: this.#random() / 2, leave: 0 });
    await this.#owner.submit(submission);
    while (!(await this.#owner.hasEnded(submission)) && (await this.gate.pass())) await this.#sleep(100);
  }

  #submissionOf(
    caller: Caller,
    gpus: number,
    { nap, leave, checkpoint }: { readonly nap: number; readonly leave: number; readonly checkpoint?: object },
  ): Submission {
    const { account, submissions } = caller.history;
    const name = `${account}-${this.#count++}`;
    const body = {
      ...{ name, project: account, run: jobScript, gpus: `${lentModel}:${gpus}`, checkpoint },
      env: { TRUTH: this.#truth, NAP: nap.toFixed(2), LEAVE: leave.toFixed(2), CODE: "0", BAD_RANK: "all" },
    };
    const owns = caller === this.#owner;
    const submission: Submission = {
      ...{ key: `key-${name}`, name, body, size: 1, members: 1, answered: [], cancel: "not-asked" },
      ...(owns && { covered: true }),
    };
    submissions.push(submission);
    return submission;
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, ms));
  }
}
