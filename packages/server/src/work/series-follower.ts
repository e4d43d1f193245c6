import { setImmediate } from "node:timers/promises";
import { Damaged } from "../flow/series/faults.ts";
import { SeriesFile } from "../flow/series/file.ts";
import type { RollUpAnswer, RollUpQuery } from "../flow/series/query.ts";
import { readRollUps } from "../flow/series/read.ts";
import { Recorder } from "../flow/series/recorder.ts";
import { RollUps } from "../flow/series/roll-ups.ts";
import type { StoreReader } from "../store/port.ts";
import { Replica } from "./replica.ts";
import type { SeriesSeen } from "./series-messages.ts";

/** Between pieces of a long way through the journal questions are answered. */
const rowsAtOnce = 400;
const writeEveryMs = 10_000;
/** What is read up to here is as good as up to now: minutes are sampled once they are over. */
const nearMs = 180_000;
/** A row of an earlier instant may still be on its way to the disk. */
const graceMs = 5_000;

/** Rolls up what the journal says, row by row, from where it stopped; from the first row where nothing is kept yet. */
export class SeriesFollower {
  readonly #reader: StoreReader;
  readonly #file: SeriesFile;
  readonly #rollUps: RollUps;
  readonly #recorder: Recorder;
  #replica: Replica | undefined;
  #following: Promise<void> | undefined;
  #closing = false;
  /** Why nothing more is followed or answered: what is remembered and what is on the disk may differ. */
  #broken: unknown;
  #wroteAt = performance.now();
  #wrote = { seq: 0, sampledUntil: 0 };

  private constructor(reader: StoreReader, file: SeriesFile, warn: (text: string) => void) {
    this.#reader = reader;
    this.#file = file;
    this.#rollUps = new RollUps(file, warn);
    this.#recorder = new Recorder(this.#rollUps);
  }

  static async open(reader: StoreReader, place: string, warn: (text: string) => void): Promise<SeriesFollower> {
    const file = SeriesFile.open(place, warn);
    try {
      const follower = new SeriesFollower(reader, file, warn);
      if (await follower.#isOfThisJournal()) return follower;
      warn("the series are of another journal and are made again from this one");
    } catch (error) {
      if (!(error instanceof Damaged)) throw error;
      warn(madeAgain(error));
    }
    file.close();
    return new SeriesFollower(reader, SeriesFile.begin(place), warn);
  }

  /** The last row that is rolled up. */
  get seq(): number {
    return this.#rollUps.seq;
  }

  /** Rolls up everything to this row, and what stands until now. After a failure it must be opened again. */
  async follow(seen: SeriesSeen): Promise<void> {
    while (this.#following !== undefined) await this.#following;
    if (this.#broken !== undefined) throw this.#broken;
    this.#following = this.#follow(seen)
      .catch((error: unknown) => this.#break(error))
      .finally(() => {
        this.#following = undefined;
      });
    await this.#following;
  }

  answer(query: RollUpQuery, now: number): RollUpAnswer {
    if (this.#broken !== undefined) throw this.#broken;
    const { sampledUntil } = this.#rollUps;
    try {
      const answer = readRollUps(this.#rollUps, this.#file, query);
      const isNear = sampledUntil === 0 || now - sampledUntil < nearMs;
      return isNear ? answer : { ...answer, knownTo: sampledUntil };
    } catch (error) {
      if (error instanceof Damaged) this.#break(error);
      throw error;
    }
  }

  /** Makes durable what was rolled up. */
  async write(): Promise<void> {
    const { seq, sampledUntil } = this.#rollUps;
    if (seq === this.#wrote.seq && sampledUntil === this.#wrote.sampledUntil) return;
    const [hash] = await this.#reader.rowHashes(seq, 1);
    this.#rollUps.write(hash === undefined ? "" : Buffer.from(hash).toString("hex"));
    this.#wrote = { seq, sampledUntil };
    this.#wroteAt = performance.now();
  }

  async close(): Promise<void> {
    this.#closing = true;
    await this.#following?.catch(() => {});
    if (this.#replica !== undefined && this.#broken === undefined) await this.write();
    this.#file.close();
    await this.#reader.close();
  }

  /** What is damaged is marked, and made again by the next that opens it. On a full disk the file stays as it is. */
  #break(error: unknown): never {
    if (!(error instanceof Damaged)) this.#broken = error;
    else {
      this.#file.spoil();
      this.#broken = new Damaged(madeAgain(error), { cause: error });
    }
    throw this.#broken;
  }

  async #follow({ seq, now }: SeriesSeen): Promise<void> {
    this.#replica ??= await this.#begin();
    const replica = this.#replica;
    while (replica.seq < seq && !this.#closing) {
      await replica.catchUp(Math.min(seq, replica.seq + rowsAtOnce));
      if (performance.now() - this.#wroteAt > writeEveryMs) await this.write();
      await setImmediate();
    }
    if (this.#closing) return;
    if (this.#rollUps.sampledUntil > 0) await this.#recorder.sampleUntil(now - graceMs, replica.state);
    if (performance.now() - this.#wroteAt > writeEveryMs) await this.write();
  }

  /** The state at the last row that is rolled up; nothing before it counts again. */
  async #begin(): Promise<Replica> {
    const replica = await Replica.behind(this.#reader, this.seq);
    while (replica.seq < this.seq && !this.#closing) {
      await replica.catchUp(Math.min(this.seq, replica.seq + rowsAtOnce));
      await setImmediate();
    }
    replica.follow(this.#recorder);
    return replica;
  }

  async #isOfThisJournal(): Promise<boolean> {
    const { seq, checked } = this.#rollUps;
    const head = await this.#reader.head();
    if (seq > head.seq) return false;
    if (checked.seq === 0) return seq === 0;
    const [hash] = await this.#reader.rowHashes(checked.seq, 1);
    return hash !== undefined && Buffer.from(hash).toString("hex") === checked.hash;
  }
}

function madeAgain({ message }: Damaged): string {
  return `${message}; the series are made again from the journal`;
}
