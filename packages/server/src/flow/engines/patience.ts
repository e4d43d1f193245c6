/** How long an engine may be silent, and when it is asked again. */
export interface Patience {
  /** The whole inventory is asked for this often, and whether it answers at all this often. */
  readonly inventoryMs: number;
  readonly probeMs: number;
  /** News of nodes that come in a row are looked at once. */
  readonly newsMs: number;
  readonly retryMsFirst: number;
  readonly retryMsMax: number;
  /** Out of reach after so many failures in a row, or this long after the first of them. */
  readonly failuresMax: number;
  readonly failingMsMax: number;
  /** How long it may take to say that it is there, and to do something larger. */
  readonly probeAnswerMsMax: number;
  readonly answerMsMax: number;
}

const second = 1_000;

// An API server that restarts is away for some seconds; three failures within that are still one restart.
export const usualPatience: Patience = {
  inventoryMs: 60 * second,
  probeMs: 10 * second,
  newsMs: second / 2,
  retryMsFirst: second,
  retryMsMax: 30 * second,
  failuresMax: 4,
  failingMsMax: 15 * second,
  probeAnswerMsMax: 8 * second,
  answerMsMax: 30 * second,
};

/** Sleeps that can be cut short. */
export class Pause {
  #wake: (() => void) | undefined;
  #pending = false;
  #closed = false;

  async for(ms: number): Promise<void> {
    if (this.#closed || this.#pending) {
      this.#pending = false;
      return;
    }
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = undefined;
  }

  /** Ends the sleep, or the next one. */
  end(): void {
    if (this.#wake === undefined) this.#pending = true;
    else this.#wake();
  }

  close(): void {
    this.#closed = true;
    this.end();
  }
}

/** Rejects when an answer takes too long; what was asked may still come to pass. */
export async function within<Answer>(ms: number, answer: Promise<Answer>): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms / second} s`)), ms);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
