import { useQuery } from "@tanstack/react-query";
import type { Job, LogEntry } from "@tessera/wire";
import { plainText } from "@tessera/wire/log-text";
import { readLines } from "../../api/log-lines.ts";
import { spellClock } from "../../format/times.ts";

/** More would push the log off the page; the line itself has all of it. */
const shownMax = 500;

/** The last line of a failed job that looks like an error, wherever in its log it is. */
export function LastError({ job, onGo }: { job: Job; onGo: (line: LogEntry) => void }) {
  const isFailed = job.outcome === "failed" || job.outcome === "infra-failed";
  const { data: line } = useQuery({
    queryKey: ["last error", job.id],
    queryFn: async ({ signal }) => (await readLines(job.id, { errors: true, tail: 1 }, { signal })).at(-1) ?? null,
    enabled: isFailed,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (line === undefined || line === null) return null;
  return (
    <button type="button" className="last-error" title="Show it in the log" onClick={() => onGo(line)}>
      <strong>Last error</strong>
      <span className="quiet nowrap">
        {spellClock(line.at)} · rank {line.rank}
      </span>
      <code>{plainText(line.text).slice(0, shownMax)}</code>
    </button>
  );
}
