import { RangeChart } from "../../chart/chart.tsx";
import { RangeBar } from "../../chart/range-bar.tsx";

/** What an account held against what it is guaranteed and may reach; what it lent and borrowed. Without one: all accounts. */
export default function QuotaCharts({ account }: { account: string | undefined }) {
  const of = account === undefined ? {} : { account };
  const whose = account ?? "all accounts";
  return (
    <>
      <RangeBar usual="7d" />
      <div className="grid">
        <RangeChart
          title={`Held against guarantee, ${whose}`}
          usual="7d"
          asks={[
            { metric: "allocated", name: "used", ...of },
            { metric: "guarantee", name: "guarantee", ...of },
            { metric: "max", name: "most allowed", ...of },
          ]}
        />
        <RangeChart
          title={`Borrowed and lent, ${whose}`}
          usual="7d"
          asks={[
            { metric: "borrowed", name: "borrowed", ...of },
            { metric: "lent", name: "lent", ...of },
          ]}
        />
        <RangeChart
          title={account === undefined ? "Held by account" : `Held inside ${account}`}
          kind="stack"
          usual="7d"
          className="span-12"
          asks={[{ metric: "allocated", by: "account", ...of }]}
        />
      </div>
    </>
  );
}
