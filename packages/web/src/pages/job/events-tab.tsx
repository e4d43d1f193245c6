import type { Job } from "@tessera/wire";
import { useLive } from "../../api/live.ts";
import { EventList } from "../../design/event-list.tsx";
import { Card, Empty, Skeleton } from "../../design/parts.tsx";

/** What happened to it, newest first. */
export function EventsTab({ job }: { job: Job }) {
  const events = useLive("listEvents", { job: job.id, limit: 200 });
  if (events === undefined) return <Skeleton />;
  return (
    <Card title="Events">
      {events.length === 0 ? <Empty title="No recent events of this job" /> : <EventList events={events} />}
    </Card>
  );
}
