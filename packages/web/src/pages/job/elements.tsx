import type { Job } from "@tessera/wire";
import { useMemo, useState } from "react";
import { Link } from "wouter";
import { useLive } from "../../api/live.ts";
import { jobLook } from "../../design/chip.tsx";
import { colourOf, patternOf } from "../../design/hues.ts";
import { Button, Card, Skeleton } from "../../design/parts.tsx";
import { saveCsv } from "../../format/csv.ts";
import { spellNumber, spellShare } from "../../format/numbers.ts";
import { useAddress } from "../../frame/address.ts";
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
import { countsOf, type ElementCount, rowsOf } from "./element-counts.ts";
import { ElementGrid } from "./element-grid.tsx";

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
const squaresMax = 500;

/** The elements of an array by their index, as a picture and as a list; each has its own page. */
export function Elements({ job }: { job: Job }) {
  const found = useLive("listJobs", { state: "all", array: job.id });
  const [params, set] = useAddress();
  const [table, setTable] = useState(false);
  const { waiting = 0, active = 0, succeeded = 0, failed = 0 } = job.elements ?? {};
  const elements = useMemo(
    () => found && [...found].sort((a, b) => (a.array?.index ?? 0) - (b.array?.index ?? 0)),
    [found],
  );
  const { look, choice } = useLook(columns, { name: "elements", usualSort: "Element" });
  const counts = useMemo(() => countsOf(elements ?? []), [elements]);
  const only = counts.find(({ word }) => word === params.get("only"))?.word;
  const listed = useMemo(
    () => (only === undefined ? elements : elements?.filter((element) => jobLook(element).word === only)),
    [elements, only],
  );
  const choose = (word: string) => set({ only: word === only ? undefined : word }, { push: true });
  return (
    <Card
      flush
      title={`${waiting} waiting, ${active} active, ${succeeded} succeeded, ${failed} failed`}
      beside={
        elements !== undefined && (
          <span className="row wrap">
            {choice}
            <Button small aria-label={`Elements: ${table ? "picture" : "table"}`} onClick={() => setTable(!table)}>
              {table ? "Picture" : "Table"}
            </Button>
            <Button
              small
              aria-label="Elements: CSV"
              onClick={() => saveCsv(`${job.name}-elements.csv`, rowsOf(elements))}
            >
              CSV
            </Button>
          </span>
        )
      }
    >
      {elements === undefined || listed === undefined ? (
        <Skeleton />
      ) : (
        <>
          {table ? (
            <Counts counts={counts} all={elements.length} />
          ) : (
            <>
              <Legend counts={counts} only={only} onChoose={choose} />
              {elements.length <= squaresMax ? (
                <Squares elements={elements} only={only} />
              ) : (
                <ElementGrid elements={elements} only={only} />
              )}
            </>
          )}
          <Table
            label={only === undefined ? "Elements" : `Elements: ${only}`}
            items={listed}
            columns={columns}
            look={look}
            keyOf={keyOf}
            hrefOf={hrefOf}
            about={`${job.id} ${only ?? ""}`}
            height={520}
          />
        </>
      )}
    </Card>
  );
}

interface LegendProps {
  readonly counts: readonly ElementCount[];
  readonly only: string | undefined;
  readonly onChoose: (word: string) => void;
}

/** What the squares mean, with how many there are of each; one that is chosen narrows picture and list. */
function Legend({ counts, only, onChoose }: LegendProps) {
  return (
    <ul className="legend" aria-label="Legend; choose which elements to show">
      {counts.map(({ word, hue, many }) => (
        <li key={word}>
          <button type="button" className="chip" aria-pressed={word === only} onClick={() => onChoose(word)}>
            <i className={`mark square pattern-${patternOf(hue)}`} style={{ backgroundColor: colourOf(hue) }} />
            {word} <span className="quiet">{spellNumber(many)}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

function countColumns(all: number): readonly Column<ElementCount>[] {
  return [
    { label: "Outcome or state", show: ({ word }) => word },
    { label: "Elements", number: true, show: ({ many }) => spellNumber(many) },
    { label: "Share", number: true, show: ({ many }) => spellShare(many, all) },
  ];
}

function Counts({ counts, all }: { counts: readonly ElementCount[]; all: number }) {
  return <Table label="Elements by outcome" items={counts} columns={countColumns(all)} keyOf={({ word }) => word} />;
}

interface PictureProps {
  readonly elements: readonly Job[];
  /** Others are faint. */
  readonly only: string | undefined;
}

/** One square for each element, in the colour of its state or outcome. */
function Squares({ elements, only }: PictureProps) {
  return (
    <ol className="squares" aria-label="Elements by outcome">
      {elements.map((element) => {
        const { word, hue } = jobLook(element);
        const faint = only !== undefined && word !== only ? "faint" : "";
        return (
          <li key={element.id}>
            <Link
              href={`/jobs/${element.id}`}
              title={`${element.array?.index}: ${word}`}
              className={`pattern-${patternOf(hue)} ${faint}`}
              style={{ backgroundColor: colourOf(hue) }}
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
