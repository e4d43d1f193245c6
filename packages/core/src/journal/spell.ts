import type { JobSpec } from "../model/job.ts";
import { canonicalJson } from "./canonical.ts";
import type { Event, JobPlaced, JobSubmitted, KeyUsed, Seat } from "./event.ts";
import type { Input } from "./input.ts";

/**
 * Writes the events of a batch: the same text as `canonicalJson`, faster. The three events of a submission are most of
 * the journal, so their fields are listed here in order; and the specification of a job is copied from the text of the
 * input that submitted it.
 */
export class EventSpelling {
  readonly #specs = new Map<JobSpec, string>();

  /** Remembers the specification in an input's canonical JSON. */
  note(input: Input, line: string): void {
    if (input.kind === "command" && input.command.kind === "job.submit") {
      const spelled = specIn(line);
      if (spelled !== undefined) this.#specs.set(input.command.spec, spelled);
    }
  }

  /** The event in canonical JSON. */
  spell(event: Event): string {
    switch (event.kind) {
      case "job-submitted":
        return this.#submitted(event);
      case "job-placed":
        return placed(event);
      case "key-used":
        return keyUsed(event);
      default:
        return canonicalJson(event);
    }
  }

  #submitted({ account, at, id, job, spec, user, waitsFor, window }: JobSubmitted): string {
    const spelled = this.#specs.get(spec) ?? canonicalJson(spec);
    const head = `{"account":${whole(account)},"at":${whole(at)},"id":${JSON.stringify(id)},"job":${whole(job)}`;
    const later = window === undefined ? "" : `,"window":${whole(window)}`;
    const tail = `"user":${JSON.stringify(user)},"v":1,"waitsFor":${wholes(waitsFor)}${later}}`;
    return `${head},"kind":"job-submitted","spec":${spelled},${tail}`;
  }
}

/**
 * The specification in the canonical JSON of a submission: the text between its neighbouring keys. Inside a string their
 * quotation marks would be escaped, so nothing else in the line matches them.
 */
function specIn(line: string): string | undefined {
  const before = line.indexOf(beforeSpec);
  return before === -1 ? undefined : line.slice(before + beforeSpec.length, line.lastIndexOf(afterSpec));
}

const beforeSpec = `"kind":"job.submit","spec":`;
const afterSpec = `,"user":`;

function placed(event: JobPlaced): string {
  const { at, attempt, choice, cover, job, seats, unitsEach } = event;
  if (event.scrub !== undefined || event.reshape !== undefined || event.pools !== undefined)
    return canonicalJson(event);
  let spelled = "";
  for (const seat of seats) spelled += spelled === "" ? seatOf(seat) : `,${seatOf(seat)}`;
  const head = `{"at":${whole(at)},"attempt":${whole(attempt)},"choice":${whole(choice)}`;
  const middle = `"class":${JSON.stringify(event.class)},"cover":${whole(cover)},"job":${whole(job)},"kind":"job-placed"`;
  return `${head},${middle},"seats":[${spelled}],"unitsEach":${whole(unitsEach)},"v":1}`;
}

function seatOf(seat: Seat): string {
  if (seat.part !== undefined) return canonicalJson(seat);
  return `{"gpus":${wholes(seat.gpus)},"node":${whole(seat.node)}}`;
}

function keyUsed({ at, bodyHash, key, result, user }: KeyUsed): string {
  const head = `{"at":${whole(at)},"bodyHash":${JSON.stringify(bodyHash)},"key":${JSON.stringify(key)}`;
  return `${head},"kind":"key-used","result":${JSON.stringify(result)},"user":${JSON.stringify(user)},"v":1}`;
}

function wholes(numbers: readonly number[]): string {
  let spelled = "";
  for (const number of numbers) spelled += spelled === "" ? whole(number) : `,${whole(number)}`;
  return `[${spelled}]`;
}

function whole(number: number): string {
  if (!Number.isSafeInteger(number)) throw new Error(`not a whole number: ${number}`);
  return `${number}`;
}
