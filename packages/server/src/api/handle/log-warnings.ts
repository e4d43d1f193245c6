import type { Instant } from "@tessera/core";
import type { LogLine } from "@tessera/engine";
import { type Feed, type FeedItem, idleText } from "../feed.ts";
import type { Joining } from "./merge-logs.ts";

/** Which warnings belong to a log. */
export interface WarningsAsk {
  readonly job: string;
  /** When the attempt began at the earliest, and was over at the latest. */
  readonly from: Instant;
  readonly to: Instant;
  /** The rank under which they are shown: they are about the whole job. */
  readonly rank: number;
}

/** What the job was warned of, as lines of its log: who reads only that must know too. */
export function warningsIn(feed: Pick<Feed, "newest">, ask: WarningsAsk): LogLine[] {
  return [...feed.newest()].flatMap((item) => lineOf(item, ask)).reverse();
}

/** Adds warnings to a log that is followed, as they come. */
export function laterWarnings(feed: Pick<Feed, "since" | "onNew" | "end">, ask: WarningsAsk): Joining<LogLine> {
  return (add) => {
    let place = feed.end;
    return feed.onNew(() => {
      const fresh = feed.since(place) ?? [];
      place = feed.end;
      const lines = fresh.flatMap((item) => lineOf(item, ask));
      if (lines.length > 0) add(streamOf(lines));
    });
  };
}

export async function* streamOf<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  yield* items;
}

function lineOf({ event, subject }: FeedItem, { job, from, to, rank }: WarningsAsk): LogLine[] {
  if (event.kind !== "job-idle" || subject !== job || event.at < from || event.at > to) return [];
  return [{ at: event.at, rank, stream: "tessera", text: `idle: ${idleText(event)}` }];
}
