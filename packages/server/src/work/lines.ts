const lineCharsMax = 10_000;

/** Cuts text that comes in parts into lines. */
export class Lines {
  readonly #tell: (line: string) => void;
  #rest = "";

  constructor(tell: (line: string) => void) {
    this.#tell = tell;
  }

  add(part: string): void {
    const lines = `${this.#rest}${part}`.split("\n");
    this.#rest = lines.pop()!.slice(-lineCharsMax);
    for (const line of lines) this.#tell(line);
  }
}
