import type { PriceBookShape } from "@tessera/wire";
import { useState } from "react";
import { useMay } from "../../api/me.tsx";
import { useCall } from "../../api/use-call.ts";
import { Chip } from "../../design/chip.tsx";
import { Button, Card, Empty, Skeleton } from "../../design/parts.tsx";
import { TableBox } from "../../design/table-box.tsx";
import { spellMoney } from "../../format/money.ts";
import { percentOf } from "./contract-view.ts";
import { CostTabs } from "./cost-tabs.tsx";
import { SetContract } from "./set-contract.tsx";

type Contract = PriceBookShape["contracts"][number];

/** The prices that were agreed on with tenants, and until when. */
export default function ContractsPage() {
  const may = useMay();
  const { data } = useCall("readPrices");
  /** The tenant whose contract is set; empty = one is chosen in the dialog. */
  const [setting, setSetting] = useState<string | undefined>();
  const currency = data?.versions.at(-1)?.currency;
  return (
    <div className="page">
      <div className="head">
        <h1>Cost</h1>
        {may("price.write") && currency !== undefined && (
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
        {data === undefined ? (
          <Skeleton lines={4} />
        ) : data.contracts.length === 0 ? (
          <Empty
            title={currency === undefined ? "There are no prices yet" : "There are no contracts"}
            command={currency === undefined ? "npx tess price --help" : "npx tess price contract TENANT contract.yaml"}
          />
        ) : (
          <TableBox label="Contracts">
            <thead>
              <tr>
                <th>Tenant</th>
                <th>From</th>
                <th>To</th>
                <th>State</th>
                <th className="number">Of the list's prices</th>
                <th>Own prices, guaranteed and burst, per hour</th>
                <th />
              </tr>
            </thead>
            <tbody>
              {data.contracts.map((contract) => (
                <tr key={contract.tenant}>
                  <td>{contract.tenant}</td>
                  <td className="nowrap">{contract.from.slice(0, 10)}</td>
                  <td className="nowrap">{contract.to.slice(0, 10)}</td>
                  <td>
                    <State contract={contract} />
                  </td>
                  <td className="number">{percentOf(contract.perMille)} %</td>
                  <td>
                    {contract.gpus.map(({ model, reservedMicros, burstMicros }) => (
                      <div key={model} className="nowrap">
                        {model === "*" ? "any other" : model}: {spellMoney(String(reservedMicros), currency ?? "")},{" "}
                        {spellMoney(String(burstMicros), currency ?? "")}
                      </div>
                    ))}
                  </td>
                  <td className="number">
                    {may("price.write") && (
                      <Button small onClick={() => setSetting(contract.tenant)}>
                        Change
                      </Button>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </TableBox>
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
