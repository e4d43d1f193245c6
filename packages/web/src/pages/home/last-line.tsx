import { useQuery } from "@tanstack/react-query";
import type { Job } from "@tessera/wire";
import { plainText } from "@tessera/wire/log-text";
import { Link } from "wouter";
import { readLines } from "../../api/log-lines.ts";
import { useMe } from "../../api/me.tsx";

const lookEveryMs = 15_000;
/** More would push everything else off the page. */
const shownMax = 300;

/** The last thing that the first rank of a job printed; nothing where it may not be read. */
export function LastLine({ job }: { job: Job }) {
  const me = useMe();
  const { id, state, attempt, elements } = job;
  const isOn = me.may.includes("job.logs") && elements === undefined;
  const { data: line = "" } = useQuery({
    queryKey: ["last line", id, attempt, state === "ended"],
    queryFn: ({ signal }) => lastLineOf(id, signal),
    enabled: isOn,
    ...(state !== "ended" && { refetchInterval: lookEveryMs }),
  });
  if (line === "") return null;
  return (
    <Link href={`/jobs/${id}/logs`} className="last-line" title="Open the log">
      {line.slice(0, shownMax)}
    </Link>
  );
}

async function lastLineOf(job: string, signal: AbortSignal): Promise<string> {
  // A member may read the logs of their own jobs alone.
  const lines = await readLines(job, { tail: 1, rank: 0 }, { signal }).catch(() => []);
  return plainText(lines.at(-1)?.text ?? "").trim();
}
