import type { WasteReport, WasteRow } from "@tessera/wire";
import { type ReactNode, useMemo } from "react";
import { useMay } from "../../api/me.tsx";
import { spellMoney } from "../../format/money.ts";
import { count, gpuHoursOf, spellMiB, spellNumber } from "../../format/numbers.ts";
import type { Column } from "../../table/column.ts";
import { useLook } from "../../table/look.tsx";
import { Table } from "../../table/table.tsx";
import { pageOf } from "../cost/page-of.ts";
import { unitMsOf, wastedMicros } from "./classes.ts";
import { WasteBar } from "./waste-bar.tsx";

const rowsShown = 100;

interface WasteLine {
  readonly row: WasteRow;
  readonly wasted: bigint;
}

function columnsOf(by: WasteReport["by"], currency: string): readonly Column<WasteLine>[] {
  const hours = (label: string, of: (row: WasteRow) => string): Column<WasteLine> => ({
    label,
    number: true,
    show: ({ row }) => spellNumber(gpuHoursOf(of(row))),
    by: ({ row }) => BigInt(of(row)),
  });
  const money = (label: string, of: (line: WasteLine) => bigint): Column<WasteLine> => ({
    label,
    number: true,
    nowrap: true,
    show: (line) => spellMoney(String(of(line)), currency),
    by: of,
  });
  return [
    { label: by, show: ({ row }) => nameOf(by, row), by: ({ row: { name, key } }) => name ?? key },
    hours("GPU-hours", ({ unitMs }) => unitMs),
    hours("Busy", (row) => unitMsOf(row, "busy")),
    hours("Idle", (row) => unitMsOf(row, "allocated_idle", "dedicated")),
    hours("Not measured", (row) => unitMsOf(row, "allocated_unmeasured")),
    hours("Lost", (row) => unitMsOf(row, "lost_preemption", "lost_fault")),
    money("Worth", ({ row }) => BigInt(row.micros)),
    money("Wasted", ({ wasted }) => wasted),
    { label: "Parts", show: ({ row }) => <WasteBar of={row} small /> },
  ];
}

/** One line for each account, user, job, node or model; those that waste most come first. */
export function WasteRows({ report: { rows, by, currency } }: { report: WasteReport }) {
  const may = useMay();
  const lines = useMemo(() => rows.map((row) => ({ row, wasted: BigInt(wastedMicros(row)) })), [rows]);
  const columns = useMemo(() => columnsOf(by, currency), [by, currency]);
  const { look } = useLook(columns, { usualSort: "-Wasted" });
  return (
    <Table
      label={`Waste by ${by}`}
      items={lines}
      columns={columns}
      look={look}
      keyOf={({ row }) => row.key}
      hrefOf={({ row }) => pageOf(by, row.key, may)}
      most={rowsShown}
      rest={(left) => `and ${count(left, "more line")}`}
    />
  );
}

function nameOf(by: WasteReport["by"], { key, name = key }: WasteRow): ReactNode {
  if (key === "") return <span className="quiet">no lease</span>;
  return by === "job" ? <span title={key}>{name}</span> : name;
}

type OversizedJob = WasteReport["oversized"][number];

function oversizedColumns(currency: string): readonly Column<OversizedJob>[] {
  return [
    { label: "Job", show: ({ name, job }) => name ?? job, by: ({ name, job }) => name ?? job },
    { label: "Account", show: ({ account }) => account, by: ({ account }) => account },
    { label: "Asked", show: ({ held }) => held },
    {
      label: "Memory held",
      number: true,
      show: ({ memoryHeldMiB }) => spellMiB(memoryHeldMiB),
      by: ({ memoryHeldMiB }) => memoryHeldMiB,
    },
    {
      label: "Most used",
      number: true,
      show: ({ memoryPeakMiB }) => spellMiB(memoryPeakMiB),
      by: ({ memoryPeakMiB }) => memoryPeakMiB,
    },
    {
      label: "Activity",
      number: true,
      show: ({ activity }) => `${spellNumber(activity)} %`,
      by: ({ activity }) => activity,
    },
    { label: "Would do", show: ({ smaller }) => smaller },
    {
      label: "Saves",
      number: true,
      nowrap: true,
      show: ({ savesMicros }) => spellMoney(savesMicros, currency),
      by: ({ savesMicros }) => BigInt(savesMicros),
    },
  ];
}

/** Jobs that held more than they used. */
export function Oversized({ report: { oversized, currency } }: { report: WasteReport }) {
  const may = useMay();
  const columns = useMemo(() => oversizedColumns(currency), [currency]);
  const { look } = useLook(columns, { name: "oversized" });
  return (
    <Table
      label="Oversized jobs"
      items={oversized}
      columns={columns}
      look={look}
      keyOf={({ job, held }) => `${job} ${held}`}
      {...(may("job.read") && { hrefOf: ({ job }: OversizedJob) => `/jobs/${job}` })}
    />
  );
}

/** What waits although enough GPUs are free, and in which pieces they are. */
export function Unfit({ report: { unfit, free = [] } }: { report: WasteReport }) {
  return (
    <ul className="list">
      {unfit.map(({ shape, jobs, reason }) => (
        <li key={shape}>
          <span>
            <b>{shape}</b> ({count(jobs, "job")}): {reason}
          </span>
        </li>
      ))}
      {unfit.length === 0 && <li className="quiet">Every shape that waits would fit what is free.</li>}
      {free.map(({ model, gpus, nodes }) => (
        <li key={model} className="quiet">
          {spellNumber(gpus)} {model} free now{piecesOf(nodes)}
        </li>
      ))}
    </ul>
  );
}

const piecesShown = 4;

function piecesOf(nodes: Readonly<Record<string, number>>): string {
  const largest = Object.entries(nodes)
    .sort(([a], [b]) => Number(b) - Number(a))
    .slice(0, piecesShown)
    .map(([size, nodesOfIt]) => `${count(nodesOfIt, "node")} with ${size}`);
  return largest.length === 0 ? "" : `: ${largest.join(", ")}`;
}
