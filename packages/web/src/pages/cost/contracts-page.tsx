import { useMay } from "../../api/me.tsx";
import { useCall } from "../../api/use-call.ts";
import { Chip } from "../../design/chip.tsx";
import { Button, Card, Empty, Skeleton } from "../../design/parts.tsx";
import { pricedModel } from "../../format/model-words.ts";
import { spellMoney } from "../../format/money.ts";
import { spellNumber } from "../../format/numbers.ts";
import { tenantOf, useAccount } from "../../frame/account.ts";
import { useOpen } from "../../frame/open.ts";
import type { Column } from "../../table/column.ts";
import { useLook } from "../../table/look.tsx";
import { NotRead } from "../../table/paged.tsx";
import { Table } from "../../table/table.tsx";
import type { Contract } from "./contract-view.ts";
import { CostTabs } from "./cost-tabs.tsx";
import { SetContract } from "./set-contract.tsx";

/** The prices that were agreed on with tenants, and until when. */
export default function ContractsPage() {
  const may = useMay();
  const { data, error, isFetching, refetch } = useCall("readPrices", {}, { everyMs: 30_000 });
  /** The contract that is changed; empty: a new one. */
  const [setting, open] = useOpen("contract");
  const currency = data?.versions.at(-1)?.currency;
  const maySet = may("price.write");
  const tenant = tenantOf(useAccount());
  const shown = data?.contracts.filter((each) => tenant === "" || each.tenant === tenant) ?? [];
  const columns = columnsOf(currency ?? "", maySet ? open : undefined);
  const { look } = useLook(columns);
  return (
    <div className="page">
      <div className="head">
        <h1>Cost</h1>
        {maySet && currency !== undefined && (
          <Button kind="primary" onClick={() => open("")}>
            Set a contract
          </Button>
        )}
      </div>
      <CostTabs here="contracts" />
      <Card
        flush
        title="Contracts"
        beside={<span className="quiet small">tenants without one pay the price list</span>}
      >
        {data === undefined && error !== null ? (
          <NotRead error={error} busy={isFetching} onRetry={() => void refetch()} />
        ) : data === undefined ? (
          <Skeleton lines={4} />
        ) : shown.length === 0 ? (
          <Empty
            title={
              currency === undefined
                ? "There are no prices yet"
                : tenant === ""
                  ? "There are no contracts"
                  : `${tenant} has no contract`
            }
            command={currency === undefined ? "npx tess price --help" : "npx tess price contract TENANT contract.yaml"}
          />
        ) : (
          <Table label="Contracts" items={shown} columns={columns} look={look} keyOf={placeOf} />
        )}
      </Card>
      {setting !== undefined && data !== undefined && currency !== undefined && maySet && (
        <SetContract
          key={setting}
          contracts={data.contracts}
          before={data.contracts.find((each) => placeOf(each) === setting)}
          currency={currency}
          onClose={() => open(undefined)}
        />
      )}
    </div>
  );
}

/** A tenant can have several contracts, one after the other. */
function placeOf({ tenant, from }: Contract): string {
  return `${tenant} ${from}`;
}

function State({ contract: { from, to } }: { contract: Contract }) {
  const now = new Date().toISOString();
  if (to <= now) return <Chip shape="ring">over</Chip>;
  return from > now ? (
    <Chip tone="booked" shape="ring">
      to come
    </Chip>
  ) : (
    <Chip tone="healthy" shape="square">
      applies
    </Chip>
  );
}

function columnsOf(currency: string, onChange: ((place: string) => void) | undefined): readonly Column<Contract>[] {
  const acts: Column<Contract> = {
    label: "Acts",
    hasNoHead: true,
    number: true,
    show: (contract) => (
      <Button small onClick={() => onChange?.(placeOf(contract))}>
        Change
      </Button>
    ),
  };
  return [
    { label: "Tenant", show: ({ tenant }) => tenant, by: ({ tenant }) => tenant },
    { label: "From", nowrap: true, below: true, show: ({ from }) => from.slice(0, 10), by: ({ from }) => from },
    { label: "To", nowrap: true, below: true, show: ({ to }) => to.slice(0, 10), by: ({ to }) => to },
    { label: "State", show: (contract) => <State contract={contract} /> },
    {
      label: "Of the list's prices",
      number: true,
      below: true,
      show: ({ perMille }) => `${spellNumber(perMille / 10)} %`,
      by: ({ perMille }) => perMille,
    },
    {
      label: "Own prices, guaranteed and burst, per hour",
      below: true,
      show: ({ gpus }) =>
        gpus.map(({ model, reservedMicros, burstMicros }) => (
          <div key={model} className="nowrap">
            {pricedModel(model)}: {spellMoney(String(reservedMicros), currency)},{" "}
            {spellMoney(String(burstMicros), currency)}
          </div>
        )),
    },
    ...(onChange === undefined ? [] : [acts]),
  ];
}
