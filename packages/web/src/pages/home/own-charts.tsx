import { RangeChart } from "../../chart/chart.tsx";
import { RangeBar } from "../../chart/range-bar.tsx";
import { reasonWord } from "../../chart/words.ts";

/** What the accounts of the caller held and waited for. */
export default function OwnCharts() {
  return (
    <>
      <RangeBar />
      <div className="grid">
        <RangeChart title="GPUs held" kind="stack" asks={[{ metric: "allocated", by: "class" }]} />
        <RangeChart
          title="Waiting GPUs by reason"
          kind="stack"
          asks={[{ metric: "waiting", by: "reason", words: reasonWord }]}
        />
      </div>
    </>
  );
}
