import { emptyHistory, type History, type Submission } from "./history.ts";
import type { Answer, Target } from "./target.ts";

interface Told {
  readonly answer: Answer;
  /** An earlier try may have taken effect. */
  readonly unsure: boolean;
}

/**
 * Talks to the control plane for one account and records requests and answers. A command without an answer
 * is repeated until there is one, creates with the same Idempotency-Key.
 */
export class Caller {
  readonly history: History;
  readonly #target: Target;

  constructor(account: string, target: Target) {
    this.#target = target;
    this.history = emptyHistory(account);
  }

  async openAccount(terms: object = {}): Promise<void> {
    const { account } = this.history;
    await this.command("POST", "/v1/accounts", { path: account, ...terms }, [201], `open-${account}`);
  }

  /** Sends a submission until it is answered; sending one again must answer the same. */
  async submit(submission: Submission): Promise<void> {
    const { body, key } = submission;
    const { answer } = await this.command("POST", "/v1/jobs", body, [201], key);
    if (answer.status === 201) submission.answered.push(answer.body.id);
  }

  /** Every create once more: the answer must still be the same, and nothing new may come of it (S15). */
  async repeatAll(): Promise<void> {
    for (const submission of this.history.submissions) await this.submit(submission);
  }

  /** Whether a job that was answered has ended. */
  async hasEnded(submission: Submission): Promise<boolean> {
    const { answer } = await this.question(`/v1/jobs/${submission.answered[0]}`);
    return answer.body?.state === "ended";
  }

  async command(method: string, path: string, body: object, expected: readonly number[], key?: string): Promise<Told> {
    const told = await this.#target.insist(method, path, body, key);
    const { status } = told.answer;
    if (status >= 200 && status < 300) this.history.acknowledged++;
    return this.#expect(told, expected);
  }

  async question(path: string): Promise<Told> {
    return this.#expect(await this.#target.insist("GET", path), [200]);
  }

  #expect(told: Told, expected: readonly number[]): Told {
    const { status, body } = told.answer;
    if (!expected.includes(status)) this.history.surprises.push(`${status}: ${JSON.stringify(body)}`);
    return told;
  }
}
