import { useMe } from "../../api/me.tsx";
import { RangeChart } from "../../chart/chart.tsx";
import { RangeBar } from "../../chart/range-bar.tsx";
import { reasonWord } from "../../chart/words.ts";
import { Choice } from "../../design/choice.tsx";
import { useAccount } from "../../frame/account.ts";
import { useAddress } from "../../frame/address.ts";

const groups = ["team", "tenant"] as const;

/** What waited and why, and for how long. */
export default function QueueCharts() {
  const account = useAccount();
  const { bindings } = useMe();
  const [params, set] = useAddress();
  const of = account === "" ? {} : { account };
  // With a role on the platform one sees several tenants, and can split by their teams too.
  const chooses = account === "" && bindings.some((binding) => binding.account === "");
  const by = groups.find((each) => each === params.get("waits")) ?? "team";
  const whose = chooses ? by : "account";
  const group = chooses && by === "team" ? "team" : "account";
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
        {chooses && (
          <div className="span-12">
            <Choice
              of={groups}
              chosen={by}
              word={(each) => `waits by ${each}`}
              onChoose={(each) => set({ waits: each === "team" ? undefined : each }, { push: true })}
            />
          </div>
        )}
        <RangeChart
          title={`Wait by ${whose}: half of jobs waited less (p50)`}
          coarse
          about="Of the jobs that started in each step; within 10 %."
          asks={[{ metric: "wait_p50", by: group, ...of }]}
        />
        <RangeChart
          title={`Wait by ${whose}: nine of ten waited less (p90)`}
          coarse
          about="Of the jobs that started in each step; within 10 %."
          asks={[{ metric: "wait_p90", by: group, ...of }]}
        />
      </div>
    </>
  );
}
