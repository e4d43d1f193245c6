import type { Event, Instant } from "@tessera/core";
import { eventsIn, type StoreReader } from "@tessera/server";

const minute = 60_000;

/** What a minute held: by key what stood at its end, and what happened in it. */
export interface NaiveMinute {
  readonly standing: Map<string, number>;
  readonly happened: Map<string, number>;
}

interface NaiveJob {
  readonly submittedAt: Instant;
  readonly gpus: number;
  class: string;
  readonly leases: Map<string, { gpus: number; extra: boolean }>;
}

/** The same figures as the series, worked out from the rows of the journal and from nothing else. */
export async function naiveSeries(
  reader: StoreReader,
): Promise<{ minutes: Map<Instant, NaiveMinute>; waits: number[] }> {
  const minutes = new Map<Instant, NaiveMinute>();
  const jobs = new Map<number, NaiveJob>();
  const byId = new Map<string, NaiveJob>();
  const waits: number[] = [];
  let open: Instant | undefined;
  const minuteAt = (at: Instant) => {
    const known = minutes.get(at) ?? { standing: new Map(), happened: new Map() };
    minutes.set(at, known);
    return known;
  };
  const passTo = (at: Instant) => {
    open ??= Math.floor(at / minute) * minute;
    for (; open + minute <= at; open += minute) standing(jobs, minuteAt(open).standing);
  };
  const { seq } = await reader.head();
  for (const { at, lines, eventCount } of await reader.eventLines(1, seq)) {
    if (eventCount === 0) continue;
    passTo(at);
    const { happened } = minuteAt(Math.floor(at / minute) * minute);
    for (const event of eventsIn(lines)) {
      for (const key of keysOf(event)) add(happened, key, 1);
      if (event.kind === "job-placed" && event.attempt === 1) waits.push(event.at - jobs.get(event.job)!.submittedAt);
      take(jobs, byId, event);
    }
  }
  return { minutes, waits };
}

function standing(jobs: ReadonlyMap<number, NaiveJob>, into: Map<string, number>): void {
  for (const job of jobs.values()) {
    if (job.leases.size === 0) add(into, "waiting", job.gpus);
    for (const { gpus, extra } of job.leases.values()) add(into, `allocated ${extra ? "burst" : job.class}`, gpus);
  }
}

function keysOf(event: Event): string[] {
  if (event.kind === "job-placed") return ["starts"];
  if (event.kind === "job-ended") return [`ends ${event.outcome}`];
  return event.kind === "job-requeued" ? [`preemptions ${event.cause}`] : [];
}

function take(jobs: Map<number, NaiveJob>, byId: Map<string, NaiveJob>, event: Event): void {
  switch (event.kind) {
    case "job-submitted": {
      const [first] = event.spec.gpus;
      const gpus = first!.count * event.spec.members.min;
      const job = { submittedAt: event.at, gpus, class: "", leases: new Map() };
      jobs.set(event.job, job);
      byId.set(event.id, job);
      return;
    }
    case "job-placed":
    case "job-grown": {
      const job = jobs.get(event.job)!;
      const id = [...byId].find(([, each]) => each === job)![0];
      if (event.kind === "job-placed") job.class = event.class;
      const attempt =
        event.kind === "job-placed" ? event.attempt : Number([...job.leases.keys()][0]!.split("-").at(-2));
      const first = event.kind === "job-placed" ? 0 : job.leases.size;
      for (const [no, seat] of event.seats.entries())
        job.leases.set(`${id}-${attempt}-${first + no}`, { gpus: seat.gpus.length, extra: event.kind === "job-grown" });
      return;
    }
    case "job-classed":
      jobs.get(event.job)!.class = event.class;
      return;
    case "lease-ended":
      for (const job of jobs.values()) if (job.leases.delete(event.lease)) return;
      return;
    case "job-ended":
      jobs.delete(event.job);
  }
}

function add(into: Map<string, number>, key: string, more: number): void {
  into.set(key, (into.get(key) ?? 0) + more);
}
