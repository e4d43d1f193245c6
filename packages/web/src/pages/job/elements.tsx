import type { Job } from "@tessera/wire";
import { useMemo } from "react";
import { Link } from "wouter";
import { useLive } from "../../api/live.ts";
import { Card, Skeleton } from "../../design/parts.tsx";
import { type Column, Rows } from "../../design/rows.tsx";
import { spellNumber } from "../../format/numbers.ts";
import { reasonColumn, sinceColumn, stateColumn } from "../jobs/job-columns.tsx";
import { ElementGrid } from "./element-grid.tsx";
import { lookOf } from "./element-look.ts";

const indexColumn: Column<Job> = { label: "Element", width: "110px", show: ({ array }) => array?.index ?? "" };
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
  return (
    <Card flush title={`${waiting} waiting, ${active} active, ${succeeded} succeeded, ${failed} failed`}>
      {elements === undefined ? (
        <Skeleton />
      ) : (
        <>
          <Legend elements={elements} />
          {elements.length <= squaresMax ? <Squares elements={elements} /> : <ElementGrid elements={elements} />}
          <Rows
            label="Elements"
            items={elements}
            columns={[indexColumn, stateColumn, { ...reasonColumn, wide: true }, sinceColumn]}
            keyOf={({ id }) => id}
            hrefOf={({ id }) => `/jobs/${id}`}
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
