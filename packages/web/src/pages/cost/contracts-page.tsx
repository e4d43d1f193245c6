import type { PriceBookShape } from "@tessera/wire";
import { useMemo, useState } from "react";
import { useMay } from "../../api/me.tsx";
import { useCall } from "../../api/use-call.ts";
import { Chip } from "../../design/chip.tsx";
import { Button, Card, Empty, Skeleton } from "../../design/parts.tsx";
import { spellMoney } from "../../format/money.ts";
import type { Column } from "../../table/column.ts";
import { useLook } from "../../table/look.tsx";
import { NotRead } from "../../table/paged.tsx";
import { Table } from "../../table/table.tsx";
import { percentOf } from "./contract-view.ts";
import { CostTabs } from "./cost-tabs.tsx";
import { SetContract } from "./set-contract.tsx";

type Contract = PriceBookShape["contracts"][number];

/** The prices that were agreed on with tenants, and until when. */
export default function ContractsPage() {
  const may = useMay();
  const { data, error, isFetching, refetch } = useCall("readPrices");
  /** The tenant whose contract is set; empty = one is chosen in the dialog. */
  const [setting, setSetting] = useState<string | undefined>();
  const currency = data?.versions.at(-1)?.currency;
  const maySet = may("price.write");
  const columns = useMemo(() => columnsOf(currency ?? "", maySet ? setSetting : undefined), [currency, maySet]);
  const { look } = useLook(columns);
  return (
    <div className="page">
      <div className="head">
        <h1>Cost</h1>
        {maySet && currency !== undefined && (
          <Button kind="primary" onClick={() => setSetting("")}>
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
        ) : data.contracts.length === 0 ? (
          <Empty
            title={currency === undefined ? "There are no prices yet" : "There are no contracts"}
            command={currency === undefined ? "npx tess price --help" : "npx tess price contract TENANT contract.yaml"}
          />
        ) : (
          <Table
            label="Contracts"
            items={data.contracts}
            columns={columns}
            look={look}
            keyOf={({ tenant }) => tenant}
          />
        )}
      </Card>
      {setting !== undefined && (
        <SetContract
          key={setting}
          tenant={setting}
          before={data?.contracts.find((each) => each.tenant === setting)}
          currency={currency ?? ""}
          onClose={() => setSetting(undefined)}
        />
      )}
    </div>
  );
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

function columnsOf(currency: string, onChange: ((tenant: string) => void) | undefined): readonly Column<Contract>[] {
  const acts: Column<Contract> = {
    label: "Acts",
    hasNoHead: true,
    number: true,
    show: ({ tenant }) => (
      <Button small onClick={() => onChange?.(tenant)}>
        Change
      </Button>
    ),
  };
  return [
    { label: "Tenant", show: ({ tenant }) => tenant, by: ({ tenant }) => tenant },
    { label: "From", nowrap: true, show: ({ from }) => from.slice(0, 10), by: ({ from }) => from },
    { label: "To", nowrap: true, show: ({ to }) => to.slice(0, 10), by: ({ to }) => to },
    { label: "State", show: (contract) => <State contract={contract} /> },
    {
      label: "Of the list's prices",
      number: true,
      show: ({ perMille }) => `${percentOf(perMille)} %`,
      by: ({ perMille }) => perMille,
    },
    {
      label: "Own prices, guaranteed and burst, per hour",
      show: ({ gpus }) =>
        gpus.map(({ model, reservedMicros, burstMicros }) => (
          <div key={model} className="nowrap">
            {model === "*" ? "any other" : model}: {spellMoney(String(reservedMicros), currency)},{" "}
            {spellMoney(String(burstMicros), currency)}
          </div>
        )),
    },
    ...(onChange === undefined ? [] : [acts]),
  ];
}
