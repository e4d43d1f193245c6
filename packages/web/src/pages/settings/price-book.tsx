import type { PriceBookShape } from "@tessera/wire";
import { useCall } from "../../api/use-call.ts";
import { mayDo } from "../../design/may-do.ts";
import { Card, Empty, Skeleton, Time } from "../../design/parts.tsx";
import { pricedModel } from "../../format/model-words.ts";
import { spellMoney } from "../../format/money.ts";
import { count } from "../../format/numbers.ts";
import type { Column } from "../../table/column.ts";
import { Table } from "../../table/table.tsx";
import { NewPrices } from "./new-prices.tsx";

/** What an hour of each GPU costs, now and from when; a new list is tried on a month before it is added. */
export function PriceBook() {
  const { data } = useCall("readPrices", {}, { everyMs: 30_000 });
  const adds = data !== undefined && mayDo("addPrices", data);
  const fleet = useCall("readSummary", {}, { on: adds }).data?.fleet;
  if (data === undefined) return <Skeleton />;
  const models = fleet?.byModel.map(({ model }) => model);
  const now = data.versions.at(-1);
  return (
    <Card
      title="Price book"
      beside={
        now !== undefined && (
          <span className="quiet small">
            {count(data.versions.length, "list")}, the last from <Time at={now.from} />
          </span>
        )
      }
    >
      <div className="stack">
        {now === undefined ? (
          <Empty title="There are no prices yet" command="npx tess price --help" />
        ) : (
          <Rates list={now} />
        )}
        {adds && models !== undefined && <NewPrices book={data} models={models} />}
      </div>
    </Card>
  );
}

type List = PriceBookShape["versions"][number];
type Rate = List["gpus"][number];

function Rates({ list }: { list: List }) {
  const money = (micros: number) => spellMoney(String(micros), list.currency);
  const columns: readonly Column<Rate>[] = [
    { label: "Model", show: ({ model }) => pricedModel(model) },
    { label: "Guaranteed, per hour", number: true, show: ({ reservedMicros }) => money(reservedMicros) },
    { label: "Burst, per hour", number: true, show: ({ burstMicros }) => money(burstMicros) },
  ];
  return <Table label="Prices" items={list.gpus} columns={columns} keyOf={({ model }) => model} />;
}
