import { useQuery } from "@tanstack/react-query";
import type { Job, LogEntry } from "@tessera/wire";
import { plainText } from "@tessera/wire/log-text";
import { Link } from "wouter";
import { wordsOf } from "../../api/call.ts";
import { readLines } from "../../api/log-lines.ts";
import { mayDo } from "../../design/may-do.ts";
import { Card, Notice, Skeleton } from "../../design/parts.tsx";
import { count } from "../../format/numbers.ts";
import { firstDifference } from "./first-difference.ts";

/** Lines of the first rank, from its beginning, that are compared. */
const linesMax = 5_000;

/** Where the logs of two runs part, and the errors of each. */
export function LogsCompared({ a, b }: { a: Job; b: Job }) {
  if (a.elements !== undefined || b.elements !== undefined) return null;
  if (!mayDo("readLogs", a) || !mayDo("readLogs", b))
    return (
      <Card title="Logs">
        <p className="quiet">Only the user of each job and administrators of its account may read its log.</p>
      </Card>
    );
  return (
    <>
      <Errors job={a} name="A" />
      <Errors job={b} name="B" />
      <Difference a={a} b={b} />
    </>
  );
}

function Difference({ a, b }: { a: Job; b: Job }) {
  const { data, error } = useQuery({
    queryKey: ["logs compared", a.id, a.state, b.id, b.state],
    queryFn: ({ signal }) => Promise.all([a, b].map(({ id }) => readLines(id, { rank: 0 }, { signal, max: linesMax }))),
  });
  return (
    <Card
      className="span-12"
      title="Where their logs part"
      beside={<span className="quiet small">rank 0, times left out</span>}
    >
      {error !== null ? (
        <Notice kind="bad">{wordsOf(error)}</Notice>
      ) : data === undefined ? (
        <Skeleton />
      ) : (
        <Parting a={data[0]!} b={data[1]!} />
      )}
    </Card>
  );
}

function Parting({ a, b }: { a: readonly LogEntry[]; b: readonly LogEntry[] }) {
  const found = firstDifference(a, b);
  if (a.length + b.length === 0) return <p className="quiet">Neither printed anything.</p>;
  if (found === undefined)
    return (
      <p className="quiet">
        {a.length === linesMax ? "The first " : "All "}
        {count(a.length, "line")} are the same but for times.
      </p>
    );
  return (
    <div className="stack tight">
      <p className="quiet small">{count(found.same, "line")} are the same before.</p>
      <pre className="spec">
        <Lines of={found.before} sign=" " look="same" />
        <Lines of={found.a} sign="-" look="gone" />
        <Lines of={found.b} sign="+" look="came" />
        {found.a.length === 0 && <div className="same">A ends here.</div>}
        {found.b.length === 0 && <div className="same">B ends here.</div>}
      </pre>
    </div>
  );
}

function Lines({ of, sign, look }: { of: readonly string[]; sign: string; look: string }) {
  return of.map((text, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other key, and all of them are rendered again
    <div key={i} className={look}>{`${sign} ${text}`}</div>
  ));
}

/** The last errors that are shown of each. */
const errorsMax = 3;

function Errors({ job, name }: { job: Job; name: string }) {
  const { data } = useQuery({
    queryKey: ["errors", job.id, job.state],
    queryFn: ({ signal }) => readLines(job.id, { errors: true, tail: errorsMax }, { signal }),
  });
  return (
    <Card className="span-6" title={`Last errors of ${name}`} beside={<Link href={`/jobs/${job.id}/logs`}>Log</Link>}>
      {data === undefined ? (
        <Skeleton />
      ) : data.length === 0 ? (
        <p className="quiet">No line of its log looks like an error.</p>
      ) : (
        <ul className="stack tight">
          {data.map((line, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other key, and all of them are rendered again
            <li key={i} className="one-line">
              <code>{plainText(line.text)}</code>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
