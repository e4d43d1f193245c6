import type { Job, ReadonlyState, User } from "@tessera/core";
import { type EffectJobs, previewNamedMax } from "@tessera/wire";
import { may } from "../../access/policy.ts";

/** Jobs that an effect is on, as a user may know of them: all are counted, the first that the user may see are named. */
export class CountedJobs {
  readonly #state: ReadonlyState;
  readonly #user: User;
  readonly #named: EffectJobs["named"] = [];
  #jobs = 0;
  #gpus = 0;

  constructor(state: ReadonlyState, user: User) {
    this.#state = state;
    this.#user = user;
  }

  add({ id, spec, account }: Pick<Job, "id" | "spec" | "account">, gpus: number): void {
    this.#jobs++;
    this.#gpus = Math.round((this.#gpus + gpus) * 1000) / 1000;
    if (this.#named.length >= previewNamedMax || !may(this.#state, this.#user, "job.read", account)) return;
    this.#named.push({ id, name: spec.name, project: this.#state.accounts[account]!.path, gpus });
  }

  shown(): EffectJobs {
    return { jobs: this.#jobs, gpus: this.#gpus, named: this.#named };
  }
}
