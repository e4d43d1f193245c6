import { Channel, type State, type TopicEars, type Topics } from "./channel.ts";
import { hereMs, type ToWindow, type ToWorker } from "./port.ts";
import { withProof } from "./proof.ts";

/** The worker that all windows share; where a browser has no such workers, a connection of this window's own. */
export function openTopics(tell: (state: State) => void): Topics {
  return typeof SharedWorker === "undefined" ? new Channel(withProof, tell) : new Shared(tell);
}

class Shared implements Topics {
  readonly #port: MessagePort;
  readonly #topics = new Map<number, { readonly address: string; readonly ears: TopicEars }>();
  readonly #tell: (state: State) => void;
  #next = 1;
  #wanted = false;

  constructor(tell: (state: State) => void) {
    this.#tell = tell;
    const worker = new SharedWorker(new URL("./stream-worker.ts", import.meta.url), { type: "module" });
    this.#port = worker.port;
    this.#port.onmessage = ({ data }: MessageEvent<ToWindow>) => this.#hear(data);
    setInterval(() => this.#wanted && this.#here(), hereMs);
    addEventListener("pagehide", () => this.#say({ say: "bye" }));
    addEventListener("pageshow", ({ persisted }) => persisted && this.#here());
  }

  watch(address: string, ears: TopicEars): () => void {
    const topic = this.#next++;
    this.#topics.set(topic, { address, ears });
    this.#say({ say: "watch", topic, address });
    return () => {
      this.#topics.delete(topic);
      this.#say({ say: "leave", topic });
    };
  }

  want(wanted: boolean): void {
    this.#wanted = wanted;
    this.#here();
  }

  #here(): void {
    this.#say({ say: "here", proof: withProof(), wanted: this.#wanted });
  }

  #say(words: ToWorker): void {
    this.#port.postMessage(words);
  }

  #hear(words: ToWindow): void {
    if (words.say === "state") this.#tell(words.state);
    else if (words.say === "heard") this.#topics.get(words.topic)?.ears.heard(words.event, words.data);
    else if (words.say === "refused") this.#topics.get(words.topic)?.ears.refused(words.problem);
    else for (const [topic, { address }] of this.#topics) this.#say({ say: "watch", topic, address });
  }
}
