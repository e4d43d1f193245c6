import type { FeedEntry } from "@tessera/wire";
import { Link } from "wouter";
import { useCall } from "../../api/use-call.ts";
import { EventList } from "../../design/event-list.tsx";
import { Card, Skeleton } from "../../design/parts.tsx";
import { nodeAddress } from "../../frame/address.ts";

const shownMax = 12;
const everyMs = 10_000;

/** What an owner acts on. Starts and ends of jobs would push it out within minutes. */
const kinds = [
  ...["node-added", "node-changed", "node-removed", "maintenance-planned", "engine-changed", "engine-reached"],
  ...["pool-changed", "account-created", "account-edited", "account-deleted", "budget-set", "budget-dropped"],
  ...["budget-reached", "budget-foreseen", "credit-reached", "invoice-issued", "job-requeued"],
].join(",");

/** What happened to the fleet, its accounts and its money, newest first. */
export function News() {
  const events = useCall("listEvents", { query: { kind: kinds, limit: shownMax } }, { everyMs }).data?.items;
  return (
    <Card title="What happened">
      {events === undefined ? (
        <Skeleton />
      ) : events.length === 0 ? (
        <p className="quiet">Nothing since the server was started: no node, engine, account or budget changed.</p>
      ) : (
        <EventList events={events} subject={subjectOf} />
      )}
    </Card>
  );
}

function subjectOf({ kind, subject, name }: FeedEntry) {
  return (
    <Link href={hrefOf(kind, subject)} className="cut" title={subject}>
      {name ?? subject}
    </Link>
  );
}

function hrefOf(kind: string, subject: string): string {
  if (subject.startsWith("job_")) return `/jobs/${subject}`;
  if (kind.startsWith("engine")) return "/fleet/engines";
  if (kind.startsWith("pool")) return "/fleet/pools";
  return /^(node|maintenance)-/.test(kind) ? nodeAddress(subject) : `/quota/${subject}`;
}
