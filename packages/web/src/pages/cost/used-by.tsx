import type { UsageReport } from "@tessera/wire";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { wordsOf } from "../../api/call.ts";
import { MayLink } from "../../design/may-link.tsx";
import { Card, Empty, Skeleton } from "../../design/parts.tsx";
import { TableBox } from "../../design/table-box.tsx";
import { count, gpuHoursOf, spellNumber, spellShare } from "../../format/numbers.ts";
import { nodeAddress } from "../../frame/address.ts";
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
  const total = gpuHoursOf(report?.total ?? "0");
  return (
    <Card flush title={`By ${by}`}>
      {report === undefined && error !== null ? (
        <Empty title="Not available">{wordsOf(error)}</Empty>
      ) : report === undefined ? (
        <Skeleton lines={4} />
      ) : report.rows.length === 0 ? (
        <Empty title="No usage in these days" command={`npx tess usage --by ${by}`} />
      ) : (
        <TableBox label={`By ${by}`}>
          <thead>
            <tr>
              <th>{by}</th>
              <th>Share</th>
              <th className="number">GPU-hours</th>
            </tr>
          </thead>
          <tbody>
            {largestFirst(report).map((row) => (
              <UsedRow key={row.key} name={nameOf(by, row)} hours={gpuHoursOf(row.unitMs)} total={total} />
            ))}
            {report.rest !== undefined && (
              <UsedRow
                name={<span className="quiet">{count(report.rest.rows, "other")}; the CSV file has all</span>}
                hours={gpuHoursOf(report.rest.unitMs)}
                total={total}
              />
            )}
          </tbody>
        </TableBox>
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
  if (by === "job") {
    return (
      <MayLink needs="job.read" href={`/jobs/${key}`} title={key}>
        {name}
      </MayLink>
    );
  }
  if (by === "account") return <Link href={`/quota/${key}`}>{name}</Link>;
  return by === "node" ? <Link href={nodeAddress(key)}>{name}</Link> : name;
}

function UsedRow({ name, hours, total }: { name: ReactNode; hours: number; total: number }) {
  return (
    <tr>
      <td>{name}</td>
      <td style={{ width: "50%" }}>
        <div className="row">
          <div className="bar" style={{ flex: 1 }}>
            <div className="part used" style={{ left: 0, width: `${total === 0 ? 0 : (100 * hours) / total}%` }} />
          </div>
          <span className="small quiet" style={{ width: 44 }}>
            {spellShare(hours, total)}
          </span>
        </div>
      </td>
      <td className="number">{spellNumber(Math.round(hours * 1000) / 1000)}</td>
    </tr>
  );
}
