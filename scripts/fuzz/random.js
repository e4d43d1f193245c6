/** Numbers from a seed: the same seed asks the same questions. */
export class Random {
  #state;

  constructor(seed) {
    this.#state = seed >>> 0;
  }

  /** 0 up to, but without, 1. */
  next() {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
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
