import type { Moment, PlanBlock } from "@tessera/wire";
import { Card } from "../../design/parts.tsx";
import { count, spellGpus, spellNumber } from "../../format/numbers.ts";
import { spellClock } from "../../format/times.ts";
import { useCarried } from "../../frame/carried.ts";
import type { Column } from "../../table/column.ts";
import { Table } from "../../table/table.tsx";

const rowsShown = 8;
const columns: readonly Column<PlanBlock>[] = [
  { label: "Job", show: ({ name }) => name },
  { label: "GPUs", number: true, show: ({ gpus }) => spellNumber(gpus) },
  {
    label: "At",
    number: true,
    nowrap: true,
    show: ({ kind, from, until }) => spellClock(kind === "planned" ? from : (until ?? from)),
  },
];

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
  const carry = useCarried();
  const gpus = blocks.reduce((sum, block) => sum + block.gpus, 0);
  const beside = <span className="quiet small">{`${count(jobs, "job")}, ${spellGpus(gpus)}`}</span>;
  return (
    <Card title={title} className="span-6" beside={jobs > 0 && jobs === blocks.length ? beside : undefined}>
      {blocks.length === 0 ? (
        <p className="quiet">{none}</p>
      ) : (
        <Table
          label={title}
          items={blocks}
          columns={columns}
          keyOf={({ job }) => job ?? ""}
          hrefOf={({ job }) => carry(`/jobs/${job}`)}
          most={rowsShown}
        />
      )}
      {jobs > rowsShown && <p className="quiet small">and {spellNumber(jobs - rowsShown)} more</p>}
    </Card>
  );
}
