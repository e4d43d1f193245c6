/** Whole numbers from 0 up to, and without, `below`. */
export type Dice = (below: number) => number;

type Part = (dice: Dice) => string;

/** How often at most a part is repeated that has no other limit: long texts say no more than short ones. */
const repeatsMax = 6;

/**
 * Random texts that a regular expression matches. It reads what all languages read alike: literals, escaped signs,
 * classes, groups, alternatives and counts; anything else is an error.
 */
export function textOfPattern(pattern: string): Part {
  if (!pattern.startsWith("^") || !pattern.endsWith("$")) throw new Error(`${pattern} does not hold the whole text`);
  const reader = new Reader([...pattern.slice(1, -1)]);
  const part = reader.alternatives();
  if (!reader.atEnd) throw new Error(`${pattern} has a ) too many`);
  return part;
}

class Reader {
  readonly #signs: readonly string[];
  #at = 0;

  constructor(signs: readonly string[]) {
    this.#signs = signs;
  }

  get atEnd(): boolean {
    return this.#at === this.#signs.length;
  }

  alternatives(): Part {
    const branches = [this.#sequence()];
    while (this.#take("|")) branches.push(this.#sequence());
    return (dice) => branches[dice(branches.length)]!(dice);
  }

  #sequence(): Part {
    const parts: Part[] = [];
    while (!this.atEnd && this.#next !== "|" && this.#next !== ")") parts.push(this.#counted(this.#one()));
    return (dice) => parts.map((part) => part(dice)).join("");
  }

  #one(): Part {
    if (this.#take("(")) {
      if (this.#next === "?") throw new Error("groups with ? are not read by all languages");
      const inner = this.alternatives();
      this.#must(")");
      return inner;
    }
    if (this.#take("[")) return this.#class();
    const sign = this.#literal();
    return () => sign;
  }

  #counted(part: Part): Part {
    const [least, most] = this.#count();
    return (dice) => Array.from({ length: least + dice(most - least + 1) }, () => part(dice)).join("");
  }

  #count(): readonly [number, number] {
    if (this.#take("?")) return [0, 1];
    if (this.#take("*")) return [0, repeatsMax];
    if (this.#take("+")) return [1, repeatsMax];
    if (!this.#take("{")) return [1, 1];
    const [least, most] = this.#until("}").split(",").map(Number);
    return [least!, Math.max(least!, Math.min(most ?? least!, least! + repeatsMax))];
  }

  #class(): Part {
    const not = this.#take("^");
    const ranges: [number, number][] = [];
    while (!this.#take("]")) {
      const from = this.#literal();
      const to = this.#next === "-" && this.#signs[this.#at + 1] !== "]" ? this.#range() : from;
      ranges.push([from.codePointAt(0)!, to.codePointAt(0)!]);
    }
    const has = (sign: string) =>
      ranges.some(([from, to]) => from <= sign.codePointAt(0)! && sign.codePointAt(0)! <= to);
    if (not) {
      const others = [..."aZ09 ._-/:äß漢😀'\"\\\n\u0000\u202e"].filter((sign) => !has(sign));
      return (dice) => others[dice(others.length)]!;
    }
    return (dice) => {
      const [from, to] = ranges[dice(ranges.length)]!;
      return String.fromCodePoint(from + dice(to - from + 1));
    };
  }

  #range(): string {
    this.#must("-");
    return this.#literal();
  }

  #literal(): string {
    const sign = this.#signs[this.#at++]!;
    if (sign !== "\\") return sign;
    const escaped = this.#signs[this.#at++]!;
    if (/[A-Za-z0-9]/.test(escaped)) throw new Error(`\\${escaped} is not read alike by all languages`);
    return escaped;
  }

  get #next(): string | undefined {
    return this.#signs[this.#at];
  }

  #take(sign: string): boolean {
    if (this.#next !== sign) return false;
    this.#at++;
    return true;
  }

  #must(sign: string): void {
    if (!this.#take(sign)) throw new Error(`${sign} is missing`);
  }

  #until(sign: string): string {
    const from = this.#at;
    while (this.#next !== sign) this.#at++;
    return this.#signs.slice(from, this.#at++).join("");
  }
}
