import type { Account } from "@tessera/wire";
import { RangeChart } from "../../chart/chart.tsx";
import { RangeBar } from "../../chart/range-bar.tsx";
import type { SeriesAsk } from "../../chart/use-series.ts";
import { Choice } from "../../design/choice.tsx";
import { useAddress } from "../../frame/address.ts";
import { firstModel, modelsOf } from "./models.ts";

const all = "all models";

interface QuotaChartsProps {
  readonly account: Account | undefined;
  /** Those at the top: without an account the charts are of all of them. */
  readonly top: readonly Account[];
}

/** What an account held against what it is guaranteed and may reach; what of it is burst, and what it lent. Without one: all accounts. */
export default function QuotaCharts({ account, top }: QuotaChartsProps) {
  const [params, set] = useAddress();
  const shown = account === undefined ? top : [account];
  const models = modelsOf(shown);
  const usual = firstModel(shown) ?? all;
  const model = [all, ...models].find((each) => each === params.get("model")) ?? usual;
  const of = account === undefined ? {} : { account: account.path };
  const whose = account?.path ?? "all accounts";
  return (
    <>
      <RangeBar usual="7d" />
      {(models.length > 1 || usual !== all) && (
        <div className="row wrap">
          <Choice
            of={[all, ...models]}
            chosen={model}
            onChoose={(each) => set({ model: each === usual ? undefined : each }, { push: true })}
          />
        </div>
      )}
      <div className="grid">
        <RangeChart
          title={`Held against guarantee, ${whose}${model === all ? "" : `, ${model}`}`}
          usual="7d"
          {...(model !== all && { about: `Limits of ${model}, and of all models together where there is one.` })}
          asks={model === all ? heldOf(of) : heldOfModel(of, model)}
        />
        <RangeChart
          title={`Burst and lent, ${whose}`}
          usual="7d"
          about={`Burst GPUs can be taken back; lent is what others hold of an idle guarantee.${model === all ? "" : " Of all models."}`}
          asks={[
            { metric: "burst", name: "burst", ...of },
            { metric: "lent", name: "lent", ...of },
          ]}
        />
        <RangeChart
          title={account === undefined ? "Held by account" : `Held inside ${account.path}`}
          kind="stack"
          usual="7d"
          className="span-12"
          asks={[{ metric: "allocated", by: "account", ...of }]}
        />
      </div>
    </>
  );
}

type Of = Pick<SeriesAsk, "account">;

function heldOf(of: Of): SeriesAsk[] {
  return [
    { metric: "allocated", name: "used", ...of },
    { metric: "guarantee", name: "guarantee", ...of },
    { metric: "max", name: "most allowed", ...of },
  ];
}

function heldOfModel(of: Of, model: string): SeriesAsk[] {
  return [
    { metric: "allocated", by: "model", only: model, name: "used", ...of },
    { metric: "guarantee", by: "model", only: model, name: "guarantee", ...of },
    { metric: "max", by: "model", only: model, name: "most allowed", ...of },
    { metric: "max", by: "model", only: "*", name: "most allowed, all models", ...of },
  ];
}
