import type { Job } from "@tessera/wire";
import { Link } from "wouter";
import { useLive } from "../../api/live.ts";
import { Card, Skeleton } from "../../design/parts.tsx";
import { type Column, Rows } from "../../design/rows.tsx";
import { reasonColumn, sinceColumn, stateColumn } from "../jobs/job-columns.tsx";
import { lookOf } from "./element-look.ts";

const indexColumn: Column<Job> = { label: "Element", width: "110px", show: ({ array }) => array?.index ?? "" };
/** More than these are no longer told apart as squares. */
const squaresMax = 2_500;

/** The elements of an array by their index, as a picture and as a list; each has its own page. */
export function Elements({ job }: { job: Job }) {
  const found = useLive("listJobs", { state: "all", array: job.id });
  const { waiting = 0, active = 0, succeeded = 0, failed = 0 } = job.elements ?? {};
  const elements = found && [...found].sort((a, b) => (a.array?.index ?? 0) - (b.array?.index ?? 0));
  return (
    <Card flush title={`${waiting} waiting, ${active} active, ${succeeded} succeeded, ${failed} failed`}>
      {elements === undefined ? (
        <Skeleton />
      ) : (
        <>
          {elements.length <= squaresMax && <Squares elements={elements} />}
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
