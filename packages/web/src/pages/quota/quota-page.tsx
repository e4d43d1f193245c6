import { useMemo, useState } from "react";
import { Link, useLocation, useParams } from "wouter";
import { useLive } from "../../api/live.ts";
import { isOwner, useMe } from "../../api/me.tsx";
import { OrElse } from "../../chart/fallback.tsx";
import { mayDo } from "../../design/may-do.ts";
import { Missing } from "../../design/missing.tsx";
import { onDemand } from "../../design/on-demand.tsx";
import { Button, Card, Empty, Figure, Skeleton } from "../../design/parts.tsx";
import { count, spellGpus, spellNumber } from "../../format/numbers.ts";
import { useOpen } from "../../frame/open.ts";
import type { Column } from "../../table/column.ts";
import { Table } from "../../table/table.tsx";
import { AccountDialog } from "./account-dialog.tsx";
import { spellAmounts } from "./amounts.ts";
import { EditPanel } from "./edit-panel.tsx";
import { notesOf } from "./notes.ts";
import { QuotaBar } from "./quota-bar.tsx";
import { shownRows, type TreeRow, treeOf } from "./tree.ts";

const AccountParts = onDemand(() => import("./account-parts.tsx"), <Skeleton />);
const QuotaCharts = onDemand(() => import("./quota-charts.tsx"));

/** The accounts with guarantee, use, borrowing and lending. The chosen account is in the address. */
export default function QuotaPage() {
  const me = useMe();
  const accounts = useLive("listAccounts", {});
  const chosen = (useParams() as { "*"?: string })["*"] ?? "";
  const [, go] = useLocation();
  /** The account below which one is made; empty: a tenant. */
  const [under, open] = useOpen("account");
  const rows = useMemo(() => treeOf(accounts ?? []), [accounts]);
  const [byHand, setByHand] = useState<ReadonlyMap<string, boolean>>(new Map());
  if (accounts === undefined) {
    return (
      <div className="page">
        <h1>Quota</h1>
        <Skeleton lines={8} />
      </div>
    );
  }
  if (chosen !== "" && !accounts.some(({ path }) => path === chosen))
    return (
      <Missing title={`There is no account ${chosen}`} why="Or you may not see it." href="/quota" go="All accounts" />
    );
  const top = rows.filter(({ depth }) => depth === 0);
  const sum = (of: (row: TreeRow) => number) => top.reduce((total, row) => total + of(row), 0);
  const widest = Math.max(
    1,
    ...rows.map(({ guarantee, account, max }) => Math.max(guarantee, account.used.gpus, max ?? 0)),
  );
  const account = accounts.find(({ path }) => path === chosen && path !== "");
  const placeForNew = account?.path ?? (isOwner(me) ? "" : accounts.find((each) => mayDo("createAccount", each))?.path);
  return (
    <div className="page">
      <div className="head">
        <h1>Quota</h1>
        {placeForNew !== undefined && (account === undefined || mayDo("createAccount", account)) && (
          <Button kind="primary" data-act="createAccount" onClick={() => open(placeForNew)}>
            {isOwner(me) ? "New account" : "New account below"}
          </Button>
        )}
      </div>
      <div className="grid">
        <div className="span-4">
          <Figure
            label="Guaranteed"
            value={spellNumber(sum(({ guarantee }) => guarantee))}
            unit="GPUs"
            beside={`to ${count(top.length, "account")}`}
          />
        </div>
        <div className="span-4">
          <Figure
            label="Held"
            value={spellNumber(sum(({ account: { used } }) => used.gpus))}
            unit="GPUs"
            beside={`${spellGpus(sum(({ account: { used } }) => used.borrowed))} of it borrowed: beyond the guarantees`}
          />
        </div>
        <div className="span-4">
          <Figure
            label="Guaranteed, not used"
            value={spellNumber(sum(({ unused }) => unused))}
            unit="GPUs"
            beside="others can borrow it, where it may be lent"
          />
        </div>
      </div>
      <div className="grid">
        <Card
          flush
          className={account === undefined ? "span-12" : "span-7"}
          title="Accounts"
          beside={
            <span className="row wrap small quiet">
              <span className="key used" /> used <span className="key borrowed" /> borrowed{" "}
              <span className="key floor" /> guarantee
            </span>
          }
        >
          {rows.length === 0 ? (
            <Empty title="No accounts yet" command="npx tess account create research --guarantee 8" />
          ) : (
            <Table
              label="Accounts"
              items={shownRows(rows, chosen, byHand)}
              columns={columnsOf(widest, (path, isOpen) => setByHand(new Map([...byHand, [path, isOpen]])))}
              keyOf={({ account: each }) => each.path}
              current={chosen}
            />
          )}
        </Card>
        {account !== undefined && (
          <div className="span-5 chosen stack">
            <EditPanel key={account.path} account={account} />
            <AccountParts
              key={account.path}
              account={account}
              isEmpty={!accounts.some(({ path }) => path.startsWith(`${account.path}/`))}
            />
          </div>
        )}
      </div>
      <OrElse instead={null}>
        <QuotaCharts account={account} top={top.map((row) => row.account)} />
      </OrElse>
      {under !== undefined && placeForNew !== undefined && (
        <AccountDialog
          under={under}
          onClose={() => open(undefined)}
          onMade={(path) => {
            open(undefined);
            go(`/quota/${path}`);
          }}
        />
      )}
    </div>
  );
}

type ShownRow = ReturnType<typeof shownRows>[number];

/** Accounts stand in below the one that they belong to, so the tree is in one order only. */
function columnsOf(widest: number, onOpen: (path: string, isOpen: boolean) => void): readonly Column<ShownRow>[] {
  return [
    {
      label: "Account",
      nowrap: true,
      show: ({ account, depth, children, isOpen }) => (
        <div style={{ display: "flex", alignItems: "flex-start", paddingLeft: depth * 18 }}>
          {children === 0 ? (
            <span className="unfold" />
          ) : (
            <button
              type="button"
              className="unfold"
              aria-expanded={isOpen}
              aria-label={`${count(children, "account")} below ${account.path}`}
              onClick={() => onOpen(account.path, !isOpen)}
            >
              {isOpen ? "▾" : "▸"}
            </button>
          )}
          <div>
            <Link href={`/quota/${account.path}`}>{account.path.split("/").at(-1)}</Link>
            {notesOf(account).map((note) => (
              <div key={note} className="small quiet">
                {note}
              </div>
            ))}
          </div>
        </div>
      ),
    },
    {
      label: "Used of guarantee",
      percent: 38,
      show: ({ account: { used }, guarantee, max }) => (
        <QuotaBar guarantee={guarantee} used={used.gpus} borrowed={used.borrowed} max={max} widest={widest} />
      ),
    },
    { label: "Held", number: true, show: ({ account }) => spellNumber(account.used.gpus) },
    { label: "Guarantee", number: true, show: ({ guarantee }) => spellNumber(guarantee) },
    {
      label: "Most",
      number: true,
      show: ({ account, max }) =>
        max !== undefined ? spellNumber(max) : account.max === undefined ? "–" : spellAmounts(account.max),
    },
    { label: "Jobs", number: true, show: ({ account }) => spellNumber(account.liveJobs) },
  ];
}
