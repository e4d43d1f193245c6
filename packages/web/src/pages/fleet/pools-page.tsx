import type { PoolShape } from "@tessera/wire";
import { useState } from "react";
import { useLive } from "../../api/live.ts";
import { useMay } from "../../api/me.tsx";
import { useAct } from "../../api/use-call.ts";
import { Confirm } from "../../design/confirm.tsx";
import { CommandLine } from "../../design/inputs.tsx";
import { Button, Card, Empty, Skeleton } from "../../design/parts.tsx";
import { count, spellNumber } from "../../format/numbers.ts";
import { modeWords } from "../../format/sharing.ts";
import { useOpen } from "../../frame/open.ts";
import type { Column } from "../../table/column.ts";
import { useLook } from "../../table/look.tsx";
import { Table } from "../../table/table.tsx";
import { FleetTabs } from "./fleet-tabs.tsx";
import { PoolDialog } from "./pool-dialog.tsx";

/** Nodes by label, with the tenants that may use them, how their GPUs are shared, and their price. */
export default function PoolsPage() {
  const may = useMay();
  const pools = useLive("listPools");
  /** The pool that is changed, by name; empty: a new one. */
  const [editing, open] = useOpen("pool");
  const [deleting, setDeleting] = useState<PoolShape | undefined>();
  const mayWrite = may("pool.write");
  const columns = mayWrite
    ? [...poolColumns, actsColumn({ onEdit: ({ name }) => open(name), onDelete: setDeleting })]
    : poolColumns;
  const { look, choice } = useLook(columns);
  const edited = pools?.find(({ name }) => name === editing);
  return (
    <div className="page">
      <div className="head">
        <h1>Fleet</h1>
        {mayWrite && (
          <Button kind="primary" onClick={() => open("")}>
            New pool
          </Button>
        )}
      </div>
      <FleetTabs here="Pools" />
      <Card
        flush
        title="Pools"
        beside={
          <span className="row wrap">
            <span className="quiet small">nodes in no pool are for everyone</span>
            {choice}
          </span>
        }
      >
        {pools === undefined ? (
          <Skeleton lines={4} />
        ) : pools.length === 0 ? (
          <Empty
            title="There are no pools: every tenant may use every node"
            command="npx tess pool create NAME --label KEY=VALUE --tenant ACCOUNT"
          />
        ) : (
          <Table label="Pools" items={pools} columns={columns} look={look} keyOf={({ name }) => name} />
        )}
      </Card>
      {(edited !== undefined || editing === "") && mayWrite && (
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

interface PoolActs {
  readonly onEdit: (pool: PoolShape) => void;
  readonly onDelete: (pool: PoolShape) => void;
}

const poolColumns: readonly Column<PoolShape>[] = [
  { label: "Pool", show: ({ name }) => <strong>{name}</strong>, by: ({ name }) => name },
  {
    label: "Labels",
    show: ({ labels }) => (
      <div className="row wrap" style={{ minWidth: 180 }}>
        {Object.entries(labels).map(([key, value]) => (
          <code key={key} className="pair">
            {key}={value}
          </code>
        ))}
      </div>
    ),
  },
  {
    label: "Tenants",
    show: ({ tenants }) =>
      tenants === undefined ? (
        <span className="quiet">all</span>
      ) : tenants.length === 0 ? (
        <span className="quiet">tenants hidden from you</span>
      ) : (
        tenants.join(", ")
      ),
    by: ({ tenants = [] }) => tenants.join(),
  },
  {
    label: "Sharing",
    show: ({ mode, ratio, trust }) =>
      mode === undefined ? (
        <span className="quiet">as each node says</span>
      ) : (
        <>
          {modeWords[mode]}
          {ratio !== undefined && `, ${ratio} ×`}
          {trust !== undefined && <span className="quiet"> · parts of {trust} tenants</span>}
        </>
      ),
    by: ({ mode = "" }) => mode,
  },
  { label: "Price", number: true, nowrap: true, show: ({ price }) => `${price} ×`, by: ({ price }) => Number(price) },
  { label: "Nodes", number: true, show: ({ nodes }) => spellNumber(nodes), by: ({ nodes }) => nodes },
  { label: "GPUs", number: true, show: ({ gpus }) => spellNumber(gpus), by: ({ gpus }) => gpus },
];

function actsColumn({ onEdit, onDelete }: PoolActs): Column<PoolShape> {
  return {
    label: "Acts",
    hasNoHead: true,
    number: true,
    nowrap: true,
    show: (pool) => (
      <>
        <Button small kind="plain" aria-label={`Change ${pool.name}`} onClick={() => onEdit(pool)}>
          Change
        </Button>
        <Button small kind="plain" aria-label={`Delete ${pool.name}`} onClick={() => onDelete(pool)}>
          Delete
        </Button>
      </>
    ),
  };
}
