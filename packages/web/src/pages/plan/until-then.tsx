import type { Moment, PlanBlock } from "@tessera/wire";
import { Link } from "wouter";
import { Card } from "../../design/parts.tsx";
import { TableBox } from "../../design/table-box.tsx";
import { count, spellGpus, spellNumber } from "../../format/numbers.ts";
import { spellClock } from "../../format/times.ts";

const rowsShown = 8;

/** What is planned to happen between now and a moment to come. */
export function UntilThen({ planned }: { planned: NonNullable<Moment["planned"]> }) {
  const { started, ended, startedJobs, endedJobs } = planned;
  return (
    <div className="grid">
      <Happens
        title="Planned to start until then"
        none="No start is planned until then."
        blocks={started}
        jobs={startedJobs}
      />
      <Happens
        title="Expected to end until then"
        none="No end is expected until then."
        blocks={ended}
        jobs={endedJobs}
      />
    </div>
  );
}

function Happens(props: { title: string; none: string; blocks: readonly PlanBlock[]; jobs: number }) {
  const { title, none, blocks, jobs } = props;
  const gpus = blocks.reduce((sum, block) => sum + block.gpus, 0);
  const beside = <span className="quiet small">{`${count(jobs, "job")}, ${spellGpus(gpus)}`}</span>;
  return (
    <Card title={title} className="span-6" beside={jobs > 0 && jobs === blocks.length ? beside : undefined}>
      {blocks.length === 0 ? (
        <p className="quiet">{none}</p>
      ) : (
        <TableBox label={title}>
          <tbody>
            {blocks.slice(0, rowsShown).map(({ job, name, gpus: many, kind, from, until }) => (
              <tr key={job}>
                <td>
                  <Link href={`/jobs/${job}`}>{name}</Link>
                </td>
                <td className="number">{spellGpus(many)}</td>
                <td className="number nowrap">{spellClock(kind === "planned" ? from : (until ?? from))}</td>
              </tr>
            ))}
          </tbody>
        </TableBox>
      )}
      {jobs > rowsShown && <p className="quiet small">and {spellNumber(jobs - rowsShown)} more</p>}
    </Card>
  );
}
