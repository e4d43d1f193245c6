import type { Event } from "./event.ts";

/** An event in the format of the version that wrote it. */
export interface StoredEvent {
  readonly kind: string;
  readonly v: number;
  readonly at: number;
}

type Upcaster = (stored: StoredEvent) => StoredEvent;

/**
 * Converts an old format to the next version, by `kind@v`. When the format of an event changes, its `v` grows by one and
 * the conversion is added here; none is ever removed, so every journal stays replayable.
 */
const upcasters: Readonly<Record<string, Upcaster>> = {};

const upcastersExist = Object.keys(upcasters).length > 0;

/** A stored event in today's format. */
export function upcast(stored: StoredEvent): Event {
  if (!upcastersExist) return stored as Event;
  let event = stored;
  for (let lift = upcasters[`${event.kind}@${event.v}`]; lift !== undefined; ) {
    event = lift(event);
    lift = upcasters[`${event.kind}@${event.v}`];
  }
  return event as Event;
}
