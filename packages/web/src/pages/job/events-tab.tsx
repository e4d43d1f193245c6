import type { Job } from "@tessera/wire";
import { useLive } from "../../api/live.ts";
import { EventList } from "../../design/event-list.tsx";
import { Card, Empty, Skeleton } from "../../design/parts.tsx";

/** What happened to it, newest first. */
export function EventsTab({ job }: { job: Job }) {
  const events = useLive("listEvents", { job: job.id, limit: 200 });
  if (events === undefined) return <Skeleton />;
  const newest = [...events].sort((a, b) => (a.at < b.at ? 1 : -1));
  return (
    <Card title="Events">
      {newest.length === 0 ? <Empty title="No recent events of this job" /> : <EventList events={newest} />}
    </Card>
  );
}
