import type { Event } from "./event.ts";

/** An event as some version wrote it. */
export interface StoredEvent {
  readonly kind: string;
  readonly v: number;
  readonly at: number;
}

type Upcaster = (stored: StoredEvent) => StoredEvent;

/**
 * Lifts an old shape to the next version, by `kind@v`. When the shape of an event changes, its `v` grows by one and
 * the way from the old one is added here; none is ever removed, so every journal replays for ever.
 */
const upcasters: Readonly<Record<string, Upcaster>> = {};

const upcastersExist = Object.keys(upcasters).length > 0;

/** A stored event in today's shape. */
export function upcast(stored: StoredEvent): Event {
  if (!upcastersExist) return stored as Event;
  let event = stored;
  for (let lift = upcasters[`${event.kind}@${event.v}`]; lift !== undefined; ) {
    event = lift(event);
    lift = upcasters[`${event.kind}@${event.v}`];
  }
  return event as Event;
}
