import type { LeaseId } from "@tessera/core";
import type { Clock, LogLine, LogQuery } from "@tessera/engine";
import type { Logged, SimulatedFleet } from "./fleet.ts";
import type { Member } from "./member.ts";

/** The log of a simulated member. It is not written anywhere: it follows from what the member does and when it began. */
export async function* readLog(fleet: SimulatedFleet, lease: LeaseId, query: LogQuery): AsyncGenerator<LogLine> {
  const found = fleet.logged(lease);
  if (found === undefined) return;
  const { log, member } = found;
  const sinceAt = query.sinceAt ?? Number.NEGATIVE_INFINITY;
  const past = linesUntil(log, fleet.clock.now());
  let told = past.length;
  const wanted = past.filter((line) => line.at >= sinceAt);
  yield* query.tail === undefined ? wanted : wanted.slice(Math.max(0, wanted.length - query.tail));
  if (query.follow !== true || member === undefined) return;
  while (query.signal?.aborted !== true) {
    // Asked before the lines are taken: what was printed up to the end is in them.
    const over = member.phase === "gone";
    const lines = linesUntil(member, fleet.clock.now());
    for (; told < lines.length; told++) if (lines[told]!.at >= sinceAt) yield lines[told]!;
    if (over) return;
    await nextChange(fleet.clock, member, lines.length, query.signal);
  }
}

function linesUntil({ order, script, startedAt, endedAt }: Logged, now: number): LogLine[] {
  if (script === undefined || startedAt === undefined) return [];
  const until = Math.min(now, endedAt ?? now);
  return script.lines
    .map(({ afterMs, stream, text }) => ({ at: startedAt + afterMs, rank: order!.rank, stream, text }))
    .filter((line) => line.at <= until);
}

/** Resolves when the member changes, prints its next line, or `signal` is aborted. */
function nextChange(clock: Clock, member: Member, told: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const next = member.script?.lines[told];
    const cancel =
      next === undefined || member.startedAt === undefined
        ? () => {}
        : clock.at(member.startedAt + next.afterMs, () => wake());
    const wake = () => {
      cancel();
      member.watchers.delete(wake);
      signal?.removeEventListener("abort", wake);
      resolve();
    };
    member.watchers.add(wake);
    signal?.addEventListener("abort", wake);
  });
}
