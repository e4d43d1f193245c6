import { RangeChart } from "../../chart/chart.tsx";
import { RangeBar } from "../../chart/range-bar.tsx";
import { reasonWord } from "../../chart/words.ts";

/** What the fleet did: all of its GPUs, and what waited for them. */
export default function FleetCharts() {
  return (
    <>
      <RangeBar />
      <div className="grid">
        <RangeChart
          title="The fleet over time"
          kind="stack"
          className="span-8"
          asks={[
            { metric: "allocated", by: "class" },
            { metric: "reserved", name: "reserved" },
            { metric: "down", name: "down" },
            { metric: "idle", name: "idle" },
            { metric: "busy", name: "busy (measured GPUs)", over: true },
          ]}
        />
        <RangeChart
          title="Waiting GPUs by reason"
          kind="stack"
          className="span-4"
          asks={[{ metric: "waiting", by: "reason", words: reasonWord }]}
        />
      </div>
    </>
  );
}
