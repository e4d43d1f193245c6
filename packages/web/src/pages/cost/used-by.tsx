import type { UsageReport } from "@tessera/wire";
import { type ReactNode, useMemo } from "react";
import { wordsOf } from "../../api/call.ts";
import { useMay } from "../../api/me.tsx";
import { Card, Empty, Skeleton } from "../../design/parts.tsx";
import { count, gpuHoursOf, spellNumber, spellShare } from "../../format/numbers.ts";
import type { Column } from "../../table/column.ts";
import { useLook } from "../../table/look.tsx";
import { Table } from "../../table/table.tsx";
import { pageOf } from "./page-of.ts";
import type { UsageAsked } from "./use-usage-days.ts";

type Row = UsageReport["rows"][number];

interface UsedByProps {
  readonly by: UsageAsked["by"];
  readonly report: UsageReport | undefined;
  /** Why there is no report. */
  readonly error: Error | null;
}

/** What was used, the largest first, with its share of all. */
export function UsedBy({ by, report, error }: UsedByProps) {
  const may = useMay();
  const total = gpuHoursOf(report?.total ?? "0");
  const columns = useMemo(() => columnsOf(by, total), [by, total]);
  const { look } = useLook(columns, { usualSort: "-GPU-hours" });
  const rest = report?.rest;
  const foot = rest && [
    [
      <span key="name" className="quiet">
        {count(rest.rows, "other")}; the CSV file has all
      </span>,
      shareBar(gpuHoursOf(rest.unitMs), total),
      hoursText(gpuHoursOf(rest.unitMs)),
    ],
  ];
  return (
    <Card flush title={`By ${by}`}>
      {report === undefined && error !== null ? (
        <Empty title="Not available">{wordsOf(error)}</Empty>
      ) : report === undefined ? (
        <Skeleton lines={4} />
      ) : report.rows.length === 0 ? (
        <Empty title="No usage in these days" command={`npx tess usage --by ${by}`} />
      ) : (
        <Table
          label={`By ${by}`}
          items={report.rows}
          columns={columns}
          look={look}
          keyOf={keyOf}
          hrefOf={({ key }) => pageOf(by, key, may)}
          {...(foot && { foot })}
        />
      )}
    </Card>
  );
}

/** With few rows the server sorts them by key. */
export function largestFirst({ rows }: Pick<UsageReport, "rows">): Row[] {
  return rows.toSorted((a, b) => gpuHoursOf(b.unitMs) - gpuHoursOf(a.unitMs));
}

function nameOf(by: UsageAsked["by"], { key, name = key }: Row): ReactNode {
  if (key === "") return "the platform itself";
  return by === "job" ? <span title={key}>{name}</span> : name;
}

function shareBar(hours: number, total: number): ReactNode {
  return (
    <div className="row">
      <div className="bar" style={{ flex: 1 }}>
        <div className="part used" style={{ left: 0, width: `${total === 0 ? 0 : (100 * hours) / total}%` }} />
      </div>
      <span className="small quiet" style={{ width: 44 }}>
        {spellShare(hours, total)}
      </span>
    </div>
  );
}

function hoursText(hours: number): string {
  return spellNumber(Math.round(hours * 1000) / 1000);
}

function columnsOf(by: UsageAsked["by"], total: number): readonly Column<Row>[] {
  const hours = ({ unitMs }: Row) => gpuHoursOf(unitMs);
  return [
    { label: by, show: (row) => nameOf(by, row), by: ({ name, key }) => name ?? key },
    { label: "Share", percent: 50, show: (row) => shareBar(hours(row), total) },
    { label: "GPU-hours", number: true, show: (row) => hoursText(hours(row)), by: hours },
  ];
}

const keyOf = ({ key }: Row) => key;
