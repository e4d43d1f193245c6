import { seededRandom } from "../../packages/engine-simulated/dist/index.js";

/** Numbers from a seed: the same seed asks the same questions. */
export class Random {
  /** 0 up to, but without, 1. */
  next;

  constructor(seed) {
    this.next = seededRandom(seed);
  }

  below(limit) {
    return Math.floor(this.next() * limit);
  }

  chance(probability) {
    return this.next() < probability;
  }

  pick(list) {
    return list[this.below(list.length)];
  }

  text(length, letters = "abcdefghijklmnopqrstuvwxyz0123456789-_./ ") {
    let text = "";
    for (let i = 0; i < length; i++) text += letters[this.below(letters.length)];
    return text;
  }
}
