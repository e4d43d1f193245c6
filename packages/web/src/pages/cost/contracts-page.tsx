import { useMay } from "../../api/me.tsx";
import { useCall } from "../../api/use-call.ts";
import { Chip } from "../../design/chip.tsx";
import { Button, Card, Empty, Skeleton } from "../../design/parts.tsx";
import { TableBox } from "../../design/table-box.tsx";
import { spellMoney } from "../../format/money.ts";
import { spellNumber } from "../../format/numbers.ts";
import { useOpen } from "../../frame/open.ts";
import type { Contract } from "./contract-view.ts";
import { CostTabs } from "./cost-tabs.tsx";
import { SetContract } from "./set-contract.tsx";

/** The prices that were agreed on with tenants, and until when. */
export default function ContractsPage() {
  const may = useMay();
  const { data } = useCall("readPrices");
  /** The contract that is changed; empty: a new one. */
  const [setting, open] = useOpen("contract");
  const currency = data?.versions.at(-1)?.currency;
  return (
    <div className="page">
      <div className="head">
        <h1>Cost</h1>
        {may("price.write") && currency !== undefined && (
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
                <tr key={placeOf(contract)}>
                  <td>{contract.tenant}</td>
                  <td className="nowrap">{contract.from.slice(0, 10)}</td>
                  <td className="nowrap">{contract.to.slice(0, 10)}</td>
                  <td>
                    <State contract={contract} />
                  </td>
                  <td className="number">{spellNumber(contract.perMille / 10)} %</td>
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
                      <Button small onClick={() => open(placeOf(contract))}>
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
      {setting !== undefined && data !== undefined && currency !== undefined && may("price.write") && (
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
