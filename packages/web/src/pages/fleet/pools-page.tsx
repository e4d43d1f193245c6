import type { PoolShape } from "@tessera/wire";
import { useState } from "react";
import { useLive } from "../../api/live.ts";
import { useMay } from "../../api/me.tsx";
import { useAct } from "../../api/use-call.ts";
import { Confirm } from "../../design/confirm.tsx";
import { CommandLine } from "../../design/inputs.tsx";
import { Button, Card, Empty, Skeleton } from "../../design/parts.tsx";
import { TableBox } from "../../design/table-box.tsx";
import { count, spellNumber } from "../../format/numbers.ts";
import { modeWords } from "../../format/sharing.ts";
import { useOpen } from "../../frame/open.ts";
import { FleetTabs } from "./fleet-tabs.tsx";
import { PoolDialog } from "./pool-dialog.tsx";

/** Nodes by label, with the tenants that may use them, how their GPUs are shared, and their price. */
export default function PoolsPage() {
  const may = useMay();
  const pools = useLive("listPools");
  /** The pool that is changed, by name; empty: a new one. */
  const [editing, open] = useOpen("pool");
  const [deleting, setDeleting] = useState<PoolShape | undefined>();
  const edited = pools?.find(({ name }) => name === editing);
  const acts = may("pool.write") ? { onEdit: ({ name }: PoolShape) => open(name), onDelete: setDeleting } : {};
  return (
    <div className="page">
      <div className="head">
        <h1>Fleet</h1>
        {may("pool.write") && (
          <Button kind="primary" onClick={() => open("")}>
            New pool
          </Button>
        )}
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
          <PoolTable pools={pools} {...acts} />
        )}
      </Card>
      {(edited !== undefined || editing === "") && may("pool.write") && (
        <PoolDialog {...(edited !== undefined && { pool: edited })} onClose={() => open(undefined)} />
      )}
      {deleting !== undefined && <DeletePool pool={deleting} onClose={() => setDeleting(undefined)} />}
    </div>
  );
}

function DeletePool({ pool: { name, nodes, price }, onClose }: { pool: PoolShape; onClose: () => void }) {
  const remove = useAct("deletePool", () => `${name} was deleted.`);
  return (
    <Confirm
      title={`Delete the pool ${name}?`}
      act="Delete the pool"
      busy={remove.isPending}
      onAct={() => remove.mutate({ at: { pool: name } }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <p>
        Its {count(nodes, "node")} stay, are open to all tenants{price === "1" ? "" : ", cost the usual price"} and
        share their GPUs as each node says. Running jobs go on.
      </p>
      <CommandLine>{`tess pool delete ${name}`}</CommandLine>
    </Confirm>
  );
}

interface PoolTableProps {
  readonly pools: readonly PoolShape[];
  readonly onEdit?: (pool: PoolShape) => void;
  readonly onDelete?: (pool: PoolShape) => void;
}

function PoolTable({ pools, onEdit, onDelete }: PoolTableProps) {
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
          {onEdit !== undefined && <th />}
        </tr>
      </thead>
      <tbody>
        {pools.map((pool) => (
          <PoolRow key={pool.name} pool={pool} {...(onEdit && { onEdit })} {...(onDelete && { onDelete })} />
        ))}
      </tbody>
    </TableBox>
  );
}

function PoolRow({ pool, onEdit, onDelete }: Omit<PoolTableProps, "pools"> & { pool: PoolShape }) {
  const { name, labels, tenants, mode, ratio, trust, price, nodes, gpus } = pool;
  return (
    <tr>
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
          <span className="quiet">tenants hidden from you</span>
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
      {onEdit !== undefined && (
        <td className="number nowrap">
          <Button small kind="plain" aria-label={`Change ${name}`} onClick={() => onEdit(pool)}>
            Change
          </Button>
          <Button small kind="plain" aria-label={`Delete ${name}`} onClick={() => onDelete?.(pool)}>
            Delete
          </Button>
        </td>
      )}
    </tr>
  );
}
