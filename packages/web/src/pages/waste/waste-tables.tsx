import type { WasteReport, WasteRow } from "@tessera/wire";
import { Link } from "wouter";
import { MayLink } from "../../design/may-link.tsx";
import { TableBox } from "../../design/table-box.tsx";
import { spellMoney } from "../../format/money.ts";
import { count, gpuHoursOf, spellMiB, spellNumber } from "../../format/numbers.ts";
import { nodeAddress } from "../../frame/address.ts";
import { unitMsOf, wastedMicros } from "./classes.ts";
import { WasteBar } from "./waste-bar.tsx";

const rowsShown = 100;

/** One line for each account, user, job, node or model, those that waste most first. */
export function WasteRows({ report: { rows, by, currency } }: { report: WasteReport }) {
  const ordered = rows
    .map((row) => ({ row, wasted: BigInt(wastedMicros(row)) }))
    .sort((a, b) => (a.wasted === b.wasted ? 0 : a.wasted > b.wasted ? -1 : 1));
  const hours = (unitMs: string) => spellNumber(gpuHoursOf(unitMs));
  return (
    <>
      <TableBox label={`Waste by ${by}`}>
        <thead>
          <tr>
            <th className="first">{by}</th>
            <th className="number">GPU-hours</th>
            <th className="number">Busy</th>
            <th className="number">Idle</th>
            <th className="number">Not measured</th>
            <th className="number">Lost</th>
            <th className="number">Worth</th>
            <th className="number">Wasted</th>
            <th>Parts</th>
          </tr>
        </thead>
        <tbody>
          {ordered.slice(0, rowsShown).map(({ row, wasted }) => (
            <tr key={row.key}>
              <td>
                <RowName row={row} by={by} />
              </td>
              <td className="number">{hours(row.unitMs)}</td>
              <td className="number">{hours(unitMsOf(row, "busy"))}</td>
              <td className="number">{hours(unitMsOf(row, "allocated_idle", "dedicated"))}</td>
              <td className="number">{hours(unitMsOf(row, "allocated_unmeasured"))}</td>
              <td className="number">{hours(unitMsOf(row, "lost_preemption", "lost_fault"))}</td>
              <td className="number nowrap">{spellMoney(row.micros, currency)}</td>
              <td className="number nowrap">{spellMoney(String(wasted), currency)}</td>
              <td>
                <WasteBar of={row} small />
              </td>
            </tr>
          ))}
        </tbody>
      </TableBox>
      {rows.length > rowsShown && <p className="quiet small">and {count(rows.length - rowsShown, "smaller line")}</p>}
    </>
  );
}

function RowName({ row: { key, name }, by }: { row: WasteRow; by: WasteReport["by"] }) {
  if (key === "") return <span className="quiet">no lease</span>;
  if (by === "job")
    return (
      <MayLink needs="job.read" href={`/jobs/${key}`}>
        {name ?? key}
      </MayLink>
    );
  if (by === "node") return <Link href={nodeAddress(key)}>{key}</Link>;
  return name ?? key;
}

/** Jobs that held more than they used. */
export function Oversized({ report: { oversized, currency } }: { report: WasteReport }) {
  return (
    <TableBox label="Oversized jobs">
      <thead>
        <tr>
          <th>Job</th>
          <th>Account</th>
          <th>Asked</th>
          <th className="number">Memory held</th>
          <th className="number">Most used</th>
          <th className="number">Activity</th>
          <th>Would do</th>
          <th className="number">Saves</th>
        </tr>
      </thead>
      <tbody>
        {oversized.map((each) => (
          <tr key={`${each.job} ${each.held}`}>
            <td>
              <MayLink needs="job.read" href={`/jobs/${each.job}`}>
                {each.name ?? each.job}
              </MayLink>
            </td>
            <td>{each.account}</td>
            <td>{each.held}</td>
            <td className="number">{spellMiB(each.memoryHeldMiB)}</td>
            <td className="number">{spellMiB(each.memoryPeakMiB)}</td>
            <td className="number">{spellNumber(each.activity)} %</td>
            <td>{each.smaller}</td>
            <td className="number nowrap">{spellMoney(each.savesMicros, currency)}</td>
          </tr>
        ))}
      </tbody>
    </TableBox>
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
