import { RangeChart } from "../../chart/chart.tsx";
import { RangeBar } from "../../chart/range-bar.tsx";
import { reasonWord } from "../../chart/words.ts";
import { useAccount } from "../../frame/account.ts";

/** What the accounts of the caller held and waited for. */
export default function OwnCharts() {
  const account = useAccount();
  const of = account === "" ? {} : { account };
  return (
    <>
      <RangeBar />
      <div className="grid">
        <RangeChart title="GPUs held" kind="stack" asks={[{ metric: "allocated", by: "class", ...of }]} />
        <RangeChart
          title="Waiting GPUs by reason"
          kind="stack"
          asks={[{ metric: "waiting", by: "reason", words: reasonWord, ...of }]}
        />
      </div>
    </>
  );
}
