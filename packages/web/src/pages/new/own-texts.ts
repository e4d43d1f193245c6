/**
 * Tells the texts that an editor sent to its page, and that the page hands back a moment later, from those of elsewhere.
 * The page may still hand back an older one when more has been typed: it must not be written over what is newer.
 */
export class OwnTexts {
  readonly #onTheirWay: string[] = [];

  sent(text: string): void {
    this.#onTheirWay.push(text);
  }

  /** Whether a text that the page hands in has to be written into the editor, in which `written` stands now. */
  isForeign(text: string, written: string): boolean {
    const at = this.#onTheirWay.indexOf(text);
    const isForeign = text !== written && at < 0;
    if (text === written || isForeign) this.#onTheirWay.length = 0;
    else this.#onTheirWay.splice(0, at + 1);
    return isForeign;
  }
}
