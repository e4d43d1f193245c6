import type { FeedEntry } from "@tessera/wire";
import type { ReactNode } from "react";
import { inZone } from "../format/times.ts";
import { Time } from "./parts.tsx";

interface EventListProps {
  readonly events: readonly FeedEntry[];
  /** What an event is about, where the list is about several things. */
  readonly subject?: (event: FeedEntry) => ReactNode;
}

/** What happened, each with its time. */
export function EventList({ events, subject }: EventListProps) {
  return (
    <ul className="list events">
      {events.map((event) => (
        <li key={`${event.at} ${event.kind} ${event.subject} ${event.text}`}>
          <span className="quiet small" style={{ width: 100, flex: "none" }}>
            <Time at={event.at} />
          </span>
          {subject?.(event)}
          <span>{inZone(event.text)}</span>
        </li>
      ))}
    </ul>
  );
}
