import type { Job } from "@tessera/wire";
import { useLive } from "../../api/live.ts";
import { Card, Empty, Skeleton, Time } from "../../design/parts.tsx";

/** What happened to it, newest first. */
export function EventsTab({ job }: { job: Job }) {
  const events = useLive("listEvents", { job: job.id, limit: 200 });
  if (events === undefined) return <Skeleton />;
  const newest = [...events].sort((a, b) => (a.at < b.at ? 1 : -1));
  return (
    <Card title="Events">
      {newest.length === 0 ? (
        <Empty title="No recent events of this job" />
      ) : (
        <ul className="list">
          {newest.map((event) => (
            <li key={`${event.at} ${event.kind} ${event.text}`}>
              <span className="quiet small" style={{ width: 100 }}>
                <Time at={event.at} />
              </span>
              {event.text}
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
