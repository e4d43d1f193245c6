import type { PoolShape } from "@tessera/wire";
import { useLive } from "../../api/live.ts";
import { Card, Empty, Skeleton } from "../../design/parts.tsx";
import { TableBox } from "../../design/table-box.tsx";
import { spellNumber } from "../../format/numbers.ts";
import { modeWords } from "../../format/sharing.ts";
import { FleetTabs } from "./fleet-tabs.tsx";

/** Nodes by label, with the tenants that may use them, how their GPUs are shared, and their price. */
export default function PoolsPage() {
  const pools = useLive("listPools");
  return (
    <div className="page">
      <div className="head">
        <h1>Fleet</h1>
      </div>
      <FleetTabs here="Pools" />
      <Card flush title="Pools" beside={<span className="quiet small">nodes in no pool are for everyone</span>}>
        {pools === undefined ? (
          <Skeleton lines={4} />
        ) : pools.length === 0 ? (
          <Empty
            title="There are no pools: every tenant may use every node"
            command="npx tess pool create NAME --label KEY=VALUE --tenant ACCOUNT"
          />
        ) : (
          <PoolTable pools={pools} />
        )}
      </Card>
    </div>
  );
}

function PoolTable({ pools }: { pools: readonly PoolShape[] }) {
  return (
    <TableBox label="Pools">
      <thead>
        <tr>
          <th>Pool</th>
          <th>Labels</th>
          <th>Tenants</th>
          <th>Sharing</th>
          <th className="number">Price</th>
          <th className="number">Nodes</th>
          <th className="number">GPUs</th>
        </tr>
      </thead>
      <tbody>
        {pools.map(({ name, labels, tenants, mode, ratio, trust, price, nodes, gpus }) => (
          <tr key={name}>
            <td>
              <strong>{name}</strong>
            </td>
            <td>
              <div className="row wrap" style={{ minWidth: 180 }}>
                {Object.entries(labels).map(([key, value]) => (
                  <code key={key} className="pair">
                    {key}={value}
                  </code>
                ))}
              </div>
            </td>
            <td>
              {tenants === undefined ? (
                <span className="quiet">all</span>
              ) : tenants.length === 0 ? (
                <span className="quiet">others than you may see</span>
              ) : (
                tenants.join(", ")
              )}
            </td>
            <td>
              {mode === undefined ? (
                <span className="quiet">as each node says</span>
              ) : (
                <>
                  {modeWords[mode]}
                  {ratio !== undefined && `, ${ratio} ×`}
                  {trust !== undefined && <span className="quiet"> · parts of {trust} tenants</span>}
                </>
              )}
            </td>
            <td className="number nowrap">{price} ×</td>
            <td className="number">{spellNumber(nodes)}</td>
            <td className="number">{spellNumber(gpus)}</td>
          </tr>
        ))}
      </tbody>
    </TableBox>
  );
}
