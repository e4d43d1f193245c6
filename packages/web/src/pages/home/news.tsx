import { useMemo } from "react";
import { Link } from "wouter";
import { useCall } from "../../api/use-call.ts";
import { Card, Empty, Skeleton, Time } from "../../design/parts.tsx";
import { nodeAddress } from "../../frame/address.ts";

const shownMax = 12;

/** Recent events, newest first. */
export function News() {
  // Polled: the page has two streams already, and browsers allow few connections to one server.
  const events = useCall("listEvents", { query: { limit: 50 } }, { everyMs: 4_000 }).data?.items;
  const newest = useMemo(() => [...(events ?? [])].sort((a, b) => (a.at < b.at ? 1 : -1)).slice(0, shownMax), [events]);
  return (
    <Card title="Recent events">
      {events === undefined ? (
        <Skeleton />
      ) : newest.length === 0 ? (
        <Empty title="No events yet" />
      ) : (
        <ul className="list">
          {newest.map((event) => (
            <li key={`${event.at} ${event.kind} ${event.subject} ${event.text}`}>
              <span className="quiet small" style={{ width: 90 }}>
                <Time at={event.at} />
              </span>
              <Link href={hrefOf(event.kind, event.subject)} className="cut">
                {event.subject}
              </Link>
              <span className="cut">{event.text}</span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function hrefOf(kind: string, subject: string): string {
  if (subject.startsWith("job_")) return `/jobs/${subject}`;
  if (kind.startsWith("engine")) return "/fleet/engines";
  if (kind.startsWith("pool")) return "/fleet/pools";
  return kind.startsWith("node") ? nodeAddress(subject) : `/quota/${subject}`;
}
