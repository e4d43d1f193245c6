import type { Job } from "@tessera/wire";
import { useMemo, useState } from "react";
import { useCall } from "../../api/use-call.ts";
import { Chart } from "../../chart/chart.tsx";
import { heatOf, heatStepOf } from "../../chart/heat.ts";
import HeatStrip from "../../chart/heat-strip.tsx";
import { useZoom } from "../../chart/range.ts";
import { Choice } from "../../design/choice.tsx";
import { Button, Card, Empty } from "../../design/parts.tsx";
import { useTick } from "../../design/tick.ts";
import { CostOverTime } from "./cost-over-time.tsx";
import { type JobTime, jobTimeOf, partOf } from "./job-time.ts";
import { PhasesOnAxis } from "./phase-bar.tsx";

/** What its GPUs and its processes did, by rank, what it cost and in which phase it was, on one time axis. */
export default function ActivityTab({ job }: { job: Job }) {
  const whole = jobTimeOf(job);
  const { zoom, onZoom, showAll } = useZoom();
  if (whole === undefined) return <Empty title="It has not started yet" />;
  const time = zoom === undefined ? whole : partOf(whole, zoom);
  const { over, from, to } = time;
  const of = { job: job.id, by: "rank" as const, from, ...(to !== undefined && { to }) };
  const chart = { of, over, onZoom, className: "span-12" };
  return (
    <div className="grid">
      <Card
        title="Phases"
        className="span-12"
        beside={
          zoom !== undefined && (
            <Button small onClick={showAll}>
              Show the whole run
            </Button>
          )
        }
      >
        <PhasesOnAxis job={job} from={Date.parse(from)} to={to === undefined ? undefined : Date.parse(to)} />
      </Card>
      <RanksOverTime time={time} onZoom={onZoom} />
      <Chart title="GPU activity" metric="activity" {...chart} />
      <Chart title="GPU memory" metric="memory_used" {...chart} />
      <Chart title="Power" metric="power" {...chart} />
      <Chart title="CPU" metric="cpu" {...chart} />
      <CostOverTime whole={whole} time={time} cost={job.cost} onZoom={onZoom} />
    </div>
  );
}

const measures = { activity: "activity", memory_used: "memory", power: "power" } as const;
const measureNames = Object.keys(measures) as (keyof typeof measures)[];
/** As many ranks as a strip still shows apart. */
const ranksMax = 512;
const lookEveryMs = 10_000;

interface RanksProps {
  readonly time: JobTime;
  readonly onZoom: (from: number, to: number) => void;
}

function RanksOverTime({ time: { job, from, to, over }, onZoom }: RanksProps) {
  const [metric, choose] = useState<keyof typeof measures>("activity");
  useTick(60_000);
  const step = heatStepOf((to === undefined ? Date.now() : Date.parse(to)) - Date.parse(from));
  const query = { metric, by: "rank", job, from, ...(to !== undefined && { to }), step, lines: ranksMax } as const;
  const { data, error } = useCall("readSeries", { query }, over ? {} : { everyMs: lookEveryMs });
  const heat = useMemo(() => data && heatOf(data), [data]);
  const choice = <Choice of={measureNames} chosen={metric} word={(each) => measures[each]} onChoose={choose} />;
  return <HeatStrip title="Ranks over time" heat={heat} error={error} choice={choice} onZoom={onZoom} />;
}
