import { Caller } from "../../../packages/sim/dist/soak/caller.js";
import { Gate } from "../../../packages/sim/dist/soak/gate.js";
import { engineName } from "../tessera.js";

const outstandingMax = 40;
const pauseMs = 60;

/** One user of the control plane: submits small jobs, gangs and arrays to the cluster and cancels some of them. */
export class Client {
  gate = new Gate();
  #caller;
  #no;
  #random;
  #outstanding = [];
  #count = 0;

  constructor(no, target, random) {
    this.#no = no;
    this.#random = random;
    this.#caller = new Caller(`soak${no}`, target);
  }

  get history() {
    return this.#caller.history;
  }

  open() {
    return this.#caller.openAccount();
  }

  /** Works until it is stopped. */
  async work() {
    while (await this.gate.pass()) {
      await this.#oneCommand();
      await new Promise((resolve) => setTimeout(resolve, pauseMs * (0.5 + this.#random())));
    }
  }

  repeatAll() {
    return this.#caller.repeatAll();
  }

  async #oneCommand() {
    const whim = this.#random();
    if (whim < 0.8) return this.#outstanding.length < outstandingMax ? this.#submit() : this.#tidy();
    if (whim < 0.9) return this.#cancel();
    return this.#editAccount();
  }

  async #submit() {
    const submission = this.#newSubmission();
    this.history.submissions.push(submission);
    this.#outstanding.push(submission);
    await this.#caller.submit(submission);
  }

  #newSubmission() {
    const name = `c${this.#no}-${this.#count++}`;
    const kind = this.#random();
    const members = kind < 0.12 ? 2 + this.#below(3) : 1;
    const size = kind > 0.92 ? 3 : 1;
    const code = this.#random() < 0.25 ? 1 + this.#below(40) : 0;
    const gpus = members > 1 ? 8 : 1 + this.#below(4);
    const body = {
      name,
      project: this.history.account,
      engine: engineName,
      run: "sleep infinity",
      gpus: `H100:${gpus}`,
      env: { SIM: `sim-run-for=${(1 + this.#random() ** 2 * 8).toFixed(1)}s sim-exit-code=${code}` },
      ...(members > 1 && { nodes: members }),
      ...(size > 1 && { array: `1-${size}` }),
    };
    return { key: `key-${name}`, name, body, size, members, answered: [], cancel: "not-asked" };
  }

  async #cancel() {
    const submission = this.#outstanding[this.#below(this.#outstanding.length)];
    const id = submission?.answered[0];
    if (id === undefined) return;
    if (submission.cancel === "not-asked") submission.cancel = "unsure";
    const { answer, unsure } = await this.#caller.command("POST", `/v1/jobs/${id}/cancel`, {}, [200, 409]);
    if (answer.status === 200) {
      submission.cancel = "acknowledged";
      submission.cancelledAt = BigInt(Date.now()) * 1_000_000n;
    } else if (!unsure && submission.cancel === "unsure") submission.cancel = "not-asked";
  }

  /** Forgets jobs that have ended. */
  async #tidy() {
    for (const submission of [...this.#outstanding]) {
      if (!(await this.#caller.hasEnded(submission))) continue;
      this.#outstanding.splice(this.#outstanding.indexOf(submission), 1);
    }
  }

  async #editAccount() {
    const { account, edit } = this.history;
    const mark = ++edit.asked;
    const body = { limits: { waitingJobsPerUser: 1_000_000 + mark } };
    const { answer } = await this.#caller.command("PATCH", `/v1/accounts/${account}`, body, [200]);
    if (answer.status === 200) edit.acknowledged = mark;
  }

  #below(count) {
    return Math.floor(this.#random() * count);
  }
}
