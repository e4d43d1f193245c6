import { Caller } from "./caller.ts";
import { Gate } from "./gate.ts";
import type { History, Submission } from "./history.ts";
import type { Target } from "./target.ts";
import { jobScript } from "./truth.ts";

/** With more jobs than this a client would only make the queue longer. */
const outstandingMax = 5;
const pauseMs = 50;

/** One user of the control plane: submits small jobs, gangs and arrays, cancels, holds, releases and edits, one command at a time. */
export class Client {
  readonly gate = new Gate();
  readonly #no: number;
  readonly #caller: Caller;
  readonly #random: () => number;
  readonly #truth: string;
  readonly #outstanding: Submission[] = [];
  #count = 0;
  #drained: string | undefined;

  constructor(no: number, target: Target, random: () => number, truth: string) {
    this.#no = no;
    this.#random = random;
    this.#truth = truth;
    this.#caller = new Caller(`soak${no}`, target);
  }

  get histories(): readonly History[] {
    return [this.#caller.history];
  }

  async open(): Promise<void> {
    await this.#caller.openAccount();
  }

  /** Works until it is stopped; then releases the jobs that it holds. */
  async work(): Promise<void> {
    while (await this.gate.pass()) {
      await this.#oneCommand();
      await new Promise((resolve) => setTimeout(resolve, pauseMs * (0.5 + this.#random())));
    }
    // Over a copy: jobs that have ended leave the list meanwhile.
    for (const submission of [...this.#outstanding]) await this.#control("release", submission);
    if (this.#drained !== undefined) await this.#upNode();
  }

  /** A submission that is recorded before it is sent. */
  prepareSubmission(): Submission {
    const submission = this.#newSubmission();
    this.#caller.history.submissions.push(submission);
    return submission;
  }

  async submit(submission: Submission): Promise<void> {
    await this.#caller.submit(submission);
  }

  async repeatAll(): Promise<void> {
    await this.#caller.repeatAll();
  }

  async #oneCommand(): Promise<void> {
    const whim = this.#random();
    if (whim < 0.32) return this.#outstanding.length < outstandingMax ? this.#submit() : this.#tidy();
    if (whim < 0.42) return this.#controlAny("cancel");
    if (whim < 0.56) return this.#controlAny("hold");
    if (whim < 0.72) return this.#controlAny("release");
    if (whim < 0.97 || this.#no !== 0) return this.#editAccount();
    return this.#drained === undefined ? this.#drainNode() : this.#upNode();
  }

  async #submit(): Promise<void> {
    const submission = this.prepareSubmission();
    this.#outstanding.push(submission);
    await this.#caller.submit(submission);
  }

  #newSubmission(): Submission {
    const { account, submissions } = this.#caller.history;
    const name = `c${this.#no}-${this.#count++}`;
    const kind = this.#random();
    const gang = kind < 0.12 ? 2 + this.#below(2) : 1;
    const size = kind > 0.88 ? 3 : 1;
    const fails = this.#random() < 0.3;
    const previous = submissions.at(-1)?.answered[0];
    const body = {
      name,
      project: account,
      run: jobScript,
      gpus: gang > 1 ? 1 + this.#below(4) : this.#below(3),
      env: {
        TRUTH: this.#truth,
        NAP: (0.05 + this.#random() ** 3 * 3).toFixed(2),
        LEAVE: "0",
        CODE: String(fails ? 1 + this.#below(40) : 0),
        BAD_RANK: gang > 1 ? "1" : "all",
      },
      ...(gang > 1 && { nodes: gang }),
      ...(size > 1 && { array: `1-${size}` }),
      ...(kind > 0.3 && kind < 0.36 && previous !== undefined && { after: { job: previous, when: "ended" } }),
    };
    return { key: `key-${name}`, name, body, size, members: gang, answered: [], cancel: "not-asked" };
  }

  async #controlAny(verb: "cancel" | "hold" | "release"): Promise<void> {
    if (this.#outstanding.length === 0) return;
    await this.#control(verb, this.#outstanding[this.#below(this.#outstanding.length)]!);
  }

  async #control(verb: "cancel" | "hold" | "release", submission: Submission): Promise<void> {
    const id = submission.answered[0];
    if (id === undefined) return;
    if (verb === "cancel" && submission.cancel === "not-asked") submission.cancel = "unsure";
    const { answer, unsure } = await this.#caller.command("POST", `/v1/jobs/${id}/${verb}`, {}, [200, 409]);
    if (verb === "cancel") {
      if (answer.status === 200) {
        submission.cancel = "acknowledged";
        submission.cancelledAt = BigInt(Date.now()) * 1_000_000n;
      } else if (!unsure && submission.cancel === "unsure") submission.cancel = "not-asked";
    }
    if (answer.status === 409 && verb !== "hold") await this.#tidy();
  }

  /** Forgets jobs that have ended. */
  async #tidy(): Promise<void> {
    for (const submission of [...this.#outstanding]) {
      if (await this.#caller.hasEnded(submission)) this.#outstanding.splice(this.#outstanding.indexOf(submission), 1);
    }
  }

  async #editAccount(): Promise<void> {
    const { account, edit } = this.#caller.history;
    const mark = ++edit.asked;
    const body = { limits: { waitingJobsPerUser: 1_000_000 + mark } };
    const { answer } = await this.#caller.command("PATCH", `/v1/accounts/${account}`, body, [200]);
    if (answer.status === 200) edit.acknowledged = mark;
  }

  async #drainNode(): Promise<void> {
    const { answer } = await this.#caller.question("/v1/nodes");
    const nodes = answer.body.items as { readonly name: string }[];
    this.#drained = nodes[this.#below(nodes.length)]!.name;
    const body = { reason: "soak", within: `${1 + this.#below(3)}s` };
    await this.#caller.command("POST", `/v1/nodes/${this.#drained}/drain`, body, [200]);
  }

  async #upNode(): Promise<void> {
    await this.#caller.command("POST", `/v1/nodes/${this.#drained}/up`, {}, [200]);
    this.#drained = undefined;
  }

  #below(count: number): number {
    return Math.floor(this.#random() * count);
  }
}
