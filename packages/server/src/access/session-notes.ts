import type { ReadonlyState, Token, TokenId, UserId } from "@tessera/core";
import type { PrivateWrite, StoreReader } from "../store/port.ts";

/** What a session is recognised by. Personal, so that it is beside the journal and goes with the session. */
export interface SessionNote {
  readonly device: string;
  readonly address: string;
  /** The name that the user gave it. */
  readonly label?: string;
  /** On a device that the user had not signed in on, and nobody has said yet that it was them. */
  readonly fresh?: true;
}

const kind = "session-note";

/** Notes of sessions and of tokens of `tess login`, in memory; the store has them for the next start. */
export class SessionNotes {
  readonly #notes = new Map<TokenId, SessionNote>();
  readonly #write: (writes: readonly PrivateWrite[]) => void;

  constructor(write: (writes: readonly PrivateWrite[]) => void) {
    this.#write = write;
  }

  static async load(reader: StoreReader, write: (writes: readonly PrivateWrite[]) => void): Promise<SessionNotes> {
    const notes = new SessionNotes(write);
    for (const [id, value] of await reader.privates(kind))
      notes.#notes.set(id as TokenId, JSON.parse(Buffer.from(value).toString("utf8")) as SessionNote);
    return notes;
  }

  of({ id }: Pick<Token, "id">): SessionNote | undefined {
    return this.#notes.get(id);
  }

  set({ id }: Pick<Token, "id">, note: SessionNote): void {
    this.#notes.set(id, note);
    this.#write([{ kind, key: id, value: Buffer.from(JSON.stringify(note)) }]);
  }

  /** Forgets sessions that are gone. Called now and then. */
  sweep({ tokens }: ReadonlyState): void {
    const gone = [...this.#notes.keys()].filter((id) => !tokens.has(id));
    for (const id of gone) this.#notes.delete(id);
    if (gone.length > 0) this.#write(gone.map((key) => ({ kind, key, value: null })));
  }

  /** Of a user who is erased: at once, whatever becomes of the sessions. */
  forget({ tokens }: ReadonlyState, user: UserId): void {
    const own = [...this.#notes.keys()].filter((id) => tokens.get(id)?.user === user);
    for (const id of own) this.#notes.delete(id);
    if (own.length > 0) this.#write(own.map((key) => ({ kind, key, value: null })));
  }
}
