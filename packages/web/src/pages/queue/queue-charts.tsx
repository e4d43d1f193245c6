import { RangeChart } from "../../chart/chart.tsx";
import { RangeBar } from "../../chart/range-bar.tsx";
import { reasonWord } from "../../chart/words.ts";
import { useAccount } from "../../frame/account.ts";

/** What waited and why, and for how long. */
export default function QueueCharts() {
  const account = useAccount();
  const of = account === "" ? {} : { account };
  return (
    <>
      <RangeBar />
      <div className="grid">
        <RangeChart
          title="Waiting GPUs by reason over time"
          kind="stack"
          className="span-12"
          asks={[{ metric: "waiting", by: "reason", words: reasonWord, ...of }]}
        />
        <RangeChart
          title="Wait by account: half of jobs waited less (p50)"
          coarse
          about="Of the jobs that started in each step."
          asks={[{ metric: "wait_p50", by: "account", ...of }]}
        />
        <RangeChart
          title="Wait by account: nine of ten waited less (p90)"
          coarse
          about="Of the jobs that started in each step."
          asks={[{ metric: "wait_p90", by: "account", ...of }]}
        />
      </div>
    </>
  );
}
