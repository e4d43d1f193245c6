import type { FleetPlanShape } from "@tessera/wire";
import { type KeyboardEvent, useMemo, useState } from "react";
import { Link, useLocation } from "wouter";
import { useCall } from "../../api/use-call.ts";
import { Choice } from "../../design/choice.tsx";
import { Button, Card, Empty, Skeleton } from "../../design/parts.tsx";
import { saveCsv } from "../../format/csv.ts";
import { count, spellGpus, spellNumber } from "../../format/numbers.ts";
import { spellClock } from "../../format/times.ts";
import { useAccount } from "../../frame/account.ts";
import { useAddress } from "../../frame/address.ts";
import type { Column } from "../../table/column.ts";
import { Table } from "../../table/table.tsx";
import { type Drawn, isBlock, layOut, type PlanRect } from "./layout.ts";
import { nameOf, sentenceOf } from "./words.ts";

const aheads = ["6h", "24h", "3d", "7d"] as const;
const everyMs = 15_000;
const ticks = 4;
const tableRows = 100;
/** The heights of the picture and of a name in it. */
const boxPx = 240;
const labelPx = 14;

interface PictureProps {
  /** The job that is pointed at elsewhere on the page. */
  readonly lit: { readonly id: string; readonly name: string } | undefined;
  /** A moment to mark. */
  readonly moment?: string | undefined;
}

/** GPUs × time from now on: when running jobs end, and where waiting ones are planned. */
export default function PlanPicture({ lit, moment }: PictureProps) {
  const [params, set] = useAddress();
  const ahead = aheads.find((each) => each === params.get("ahead")) ?? "24h";
  const account = useAccount();
  const query = { ahead, ...(account !== "" && { project: account }) };
  const { data: plan, error } = useCall("readPlan", { query }, { everyMs });
  const [table, setTable] = useState(false);
  const isEmpty = plan !== undefined && plan.blocks.length === 0 && plan.closed.length === 0;
  return (
    <Card
      title="What is planned"
      beside={
        <span className="row wrap">
          <Choice
            of={aheads}
            chosen={ahead}
            word={(each) => `next ${each}`}
            onChoose={(each) => set({ ahead: each === "24h" ? undefined : each })}
          />
          {plan !== undefined && !isEmpty && (
            <>
              <Button small aria-label={`Plan: ${table ? "picture" : "table"}`} onClick={() => setTable(!table)}>
                {table ? "Picture" : "Table"}
              </Button>
              <Button small aria-label="Plan: CSV" onClick={() => saveCsv("plan.csv", rowsOf(plan))}>
                CSV
              </Button>
            </>
          )}
        </span>
      }
    >
      {plan === undefined ? (
        error === null ? (
          <Skeleton lines={6} />
        ) : (
          <Empty title="Not available">{error.message}</Empty>
        )
      ) : isEmpty ? (
        <p className="quiet">Nothing runs and nothing is planned: {spellGpus(plan.gpus)} are free.</p>
      ) : table ? (
        <PlanTable plan={plan} />
      ) : (
        <Picture plan={plan} lit={lit} moment={moment} />
      )}
    </Card>
  );
}

function Picture({ plan, lit, moment }: PictureProps & { plan: FleetPlanShape }) {
  const { rects, top } = useMemo(() => layOut(plan), [plan]);
  const [looked, look] = useState<Drawn>();
  const [, go] = useLocation();
  const [from, until] = [Date.parse(plan.at), Date.parse(plan.until)];
  const left = (at: number) => (100 * (at - from)) / (until - from);
  const order = useMemo(() => [...new Set(rects.map(({ of }) => of))], [rects]);
  // After a new answer the same block is another object.
  const here = looked && order.find((each) => keyOf(each) === keyOf(looked));
  const litBlock = lit && order.find((each) => isBlock(each) && each.job === lit.id);
  const onKey = (event: KeyboardEvent) => {
    const now = here === undefined ? -1 : order.indexOf(here);
    const steps: Readonly<Record<string, number>> = {
      ArrowRight: now + 1,
      ArrowDown: now + 1,
      ArrowLeft: now - 1,
      ArrowUp: now - 1,
      Home: 0,
      End: order.length - 1,
    };
    const to = steps[event.key];
    if (event.key === "Enter" && here !== undefined && isBlock(here) && here.job !== undefined) go(`/jobs/${here.job}`);
    if (event.key === "Escape") look(undefined);
    if (to === undefined) return;
    event.preventDefault();
    look(order[Math.min(order.length - 1, Math.max(0, to))]);
  };
  const mark = moment === undefined ? Number.NaN : Date.parse(moment);
  return (
    <div className="plan">
      <div className="plan-axis" aria-hidden>
        {[top, top / 2, 0].map((gpus) => (
          <span key={gpus}>{spellNumber(Math.round(gpus))}</span>
        ))}
      </div>
      <section
        className="plan-box"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard moves through the blocks as the pointer does
        tabIndex={0}
        aria-label="GPUs over time. Arrow keys move through its blocks, Enter opens a job; they are also in its table"
        onKeyDown={onKey}
        onPointerLeave={() => look(undefined)}
      >
        {rects.map((rect) => (
          <Rect
            key={`${keyOf(rect.of)} ${rect.low}`}
            rect={rect}
            style={{
              left: `${left(rect.from)}%`,
              width: `${left(rect.to) - left(rect.from)}%`,
              bottom: `${(100 * rect.low) / top}%`,
              height: `${(100 * rect.gpus) / top}%`,
            }}
            tall={(rect.gpus / top) * boxPx >= labelPx}
            lit={rect.of === here || rect.of === litBlock}
            onLook={() => look(rect.of)}
          />
        ))}
        {mark > from && mark < until && <i className="plan-moment" style={{ left: `${left(mark)}%` }} />}
      </section>
      <div className="plan-times" aria-hidden>
        {Array.from({ length: ticks + 1 }, (_, no) => from + ((until - from) * no) / ticks).map((at, no) => (
          <span key={at}>{no === 0 ? "now" : spellClock(new Date(at).toISOString())}</span>
        ))}
      </div>
      <p className="plan-words small" aria-live="polite">
        {here !== undefined ? sentenceOf(here) : lit !== undefined ? litWords(lit.name, litBlock) : summaryOf(plan)}
      </p>
      <ul className="chart-legend">
        {legend.map(([look, words]) => (
          <li key={look}>
            <i className={`plan-block mark area ${look}`} />
            {words}
          </li>
        ))}
      </ul>
    </div>
  );
}

const legend = [
  ["guaranteed", "guaranteed"],
  ["burst", "burst"],
  ["others", "other accounts"],
  ["guaranteed planned", "planned start (striped)"],
  ["closed", "maintenance, out of service"],
] as const;

interface RectProps {
  readonly rect: PlanRect;
  readonly style: { left: string; width: string; bottom: string; height: string };
  /** High enough for its name. */
  readonly tall: boolean;
  readonly lit: boolean;
  readonly onLook: () => void;
}

function Rect({ rect: { of }, style, tall, lit, onLook }: RectProps) {
  const looks = `plan-block ${lookOf(of)} ${tall ? "tall" : ""} ${lit ? "lit" : ""}`;
  if (!isBlock(of) || of.job === undefined)
    return <span className={looks} style={style} onPointerEnter={onLook} title={sentenceOf(of)} />;
  return (
    <Link
      href={`/jobs/${of.job}`}
      className={looks}
      style={style}
      tabIndex={-1}
      onPointerEnter={onLook}
      title={sentenceOf(of)}
      aria-label={sentenceOf(of)}
    >
      {tall && <span>{of.name}</span>}
    </Link>
  );
}

function lookOf(of: Drawn): string {
  if (!isBlock(of)) return "closed";
  const planned = of.kind === "planned" ? "planned" : "";
  return `${of.whose === "others" ? "others" : (of.class ?? "guaranteed")} ${of.whose === "rest" ? "rest" : ""} ${planned}`;
}

function keyOf(of: Drawn): string {
  if (!isBlock(of)) return `${of.why} ${of.from} ${of.until}`;
  return of.job ?? `${of.kind} ${of.whose} ${of.class} ${of.kind === "planned" ? of.from : ""} ${of.until}`;
}

function litWords(name: string, block: Drawn | undefined): string {
  return block === undefined ? `${name}: no start is planned yet` : sentenceOf(block);
}

function summaryOf({ blocks, gpus, planned }: FleetPlanShape): string {
  const held = blocks.reduce((sum, block) => sum + (block.kind === "running" ? block.gpus : 0), 0);
  const starts = `${count(planned, "start")} ${planned === 1 ? "is" : "are"} planned`;
  return `${spellNumber(held)} of ${spellGpus(gpus)} are held. ${starts}; the scheduler plans only the next few.`;
}

function rowsOf({ blocks, closed }: FleetPlanShape) {
  return [...blocks, ...closed].map((of) => ({
    what: isBlock(of) ? of.kind : nameOf(of),
    name: nameOf(of),
    account: isBlock(of) ? (of.project ?? "") : "",
    gpus: of.gpus,
    from: of.from,
    until: of.until ?? "",
  }));
}

const planColumns: readonly Column<Drawn>[] = [
  {
    label: "Job",
    show: (of) => (isBlock(of) && of.job !== undefined ? <Link href={`/jobs/${of.job}`}>{of.name}</Link> : nameOf(of)),
  },
  { label: "Account", show: (of) => (isBlock(of) ? of.project : "") },
  { label: "What", show: (of) => (isBlock(of) ? (of.kind === "planned" ? "planned start" : "runs") : "closed") },
  { label: "GPUs", number: true, show: ({ gpus }) => spellNumber(gpus) },
  { label: "From", show: (of) => (isPlanned(of) || !isBlock(of) ? spellClock(of.from) : "now") },
  { label: "Until about", show: ({ until }) => (until === undefined ? "not known" : spellClock(until)) },
];

function PlanTable({ plan }: { plan: FleetPlanShape }) {
  // What is planned is what one looks for.
  const rows = useMemo(
    () => [...plan.blocks, ...plan.closed].sort((a, b) => Number(isPlanned(b)) - Number(isPlanned(a))),
    [plan],
  );
  return (
    <Table
      label="Plan"
      items={rows}
      columns={planColumns}
      keyOf={keyOf}
      most={tableRows}
      rest={() => `${tableRows} of ${count(rows.length, "row")}; the CSV file has all.`}
    />
  );
}

function isPlanned(of: Drawn): boolean {
  return isBlock(of) && of.kind === "planned";
}
