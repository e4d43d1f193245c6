import type { Job } from "@tessera/wire";
import { useMemo } from "react";
import { Link } from "wouter";
import { useLive } from "../../api/live.ts";
import { Card, Skeleton } from "../../design/parts.tsx";
import { spellNumber } from "../../format/numbers.ts";
import type { Column } from "../../table/column.ts";
import { useLook } from "../../table/look.tsx";
import { Table } from "../../table/table.tsx";
import {
  ranColumn,
  ranMs,
  reasonColumn,
  sinceColumn,
  stateColumn,
  waitedColumn,
  waitedMs,
} from "../jobs/job-columns.tsx";
import { ElementGrid } from "./element-grid.tsx";
import { lookOf } from "./element-look.ts";

const columns: readonly Column<Job>[] = [
  { label: "Element", width: 90, show: ({ array }) => array?.index ?? "", by: ({ array }) => array?.index ?? 0 },
  { ...stateColumn, by: ({ state, outcome = "" }) => `${state} ${outcome}` },
  { ...reasonColumn, below: true, by: ({ reason }) => reason?.kind ?? "" },
  { ...sinceColumn, by: ({ endedAt, startedAt, submittedAt }) => endedAt ?? startedAt ?? submittedAt },
  { ...waitedColumn, by: waitedMs },
  { ...ranColumn, by: ranMs },
  {
    label: "Exit code",
    width: 80,
    number: true,
    below: true,
    usual: false,
    show: ({ exitCode }) => exitCode,
    by: ({ exitCode = -1 }) => exitCode,
  },
];
const keyOf = ({ id }: Job) => id;
const hrefOf = ({ id }: Job) => `/jobs/${id}`;
/** More links than these make a page slow. */
const squaresMax = 2_500;

/** The elements of an array by their index, as a picture and as a list; each has its own page. */
export function Elements({ job }: { job: Job }) {
  const found = useLive("listJobs", { state: "all", array: job.id });
  const { waiting = 0, active = 0, succeeded = 0, failed = 0 } = job.elements ?? {};
  const elements = useMemo(
    () => found && [...found].sort((a, b) => (a.array?.index ?? 0) - (b.array?.index ?? 0)),
    [found],
  );
  const { look, choice } = useLook(columns, { name: "elements", usualSort: "Element" });
  return (
    <Card
      flush
      title={`${waiting} waiting, ${active} active, ${succeeded} succeeded, ${failed} failed`}
      beside={choice}
    >
      {elements === undefined ? (
        <Skeleton />
      ) : (
        <>
          <Legend elements={elements} />
          {elements.length <= squaresMax ? <Squares elements={elements} /> : <ElementGrid elements={elements} />}
          <Table
            label="Elements"
            items={elements}
            columns={columns}
            look={look}
            keyOf={keyOf}
            hrefOf={hrefOf}
            about={job.id}
            height={520}
          />
        </>
      )}
    </Card>
  );
}

/** What the colours of the squares mean, with how many there are of each. */
function Legend({ elements }: { elements: readonly Job[] }) {
  const looks = new Map<string, { tone: string; many: number }>();
  for (const element of elements) {
    const { tone, word } = lookOf(element);
    looks.set(word, { tone, many: (looks.get(word)?.many ?? 0) + 1 });
  }
  return (
    <ul className="chart-legend" style={{ padding: "0 16px" }}>
      {[...looks].map(([word, { tone, many }]) => (
        <li key={word}>
          <i className="mark area" style={{ background: `var(--${tone})` }} />
          {word} <b>{spellNumber(many)}</b>
        </li>
      ))}
    </ul>
  );
}

/** One square for each element, in the colour of its state or outcome. */
function Squares({ elements }: { elements: readonly Job[] }) {
  return (
    <ol className="squares" aria-label="Elements by outcome">
      {elements.map((element) => {
        const { tone, word } = lookOf(element);
        return (
          <li key={element.id}>
            <Link
              href={`/jobs/${element.id}`}
              title={`${element.array?.index}: ${word}`}
              className={word}
              style={{ background: `var(--${tone})` }}
            >
              <span className="hidden-text">
                {element.array?.index}: {word}
              </span>
            </Link>
          </li>
        );
      })}
    </ol>
  );
}
