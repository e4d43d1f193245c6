import type { BudgetShape } from "@tessera/wire";
import { useState } from "react";
import { useMay } from "../../api/me.tsx";
import { useAct, useCall } from "../../api/use-call.ts";
import { Chip } from "../../design/chip.tsx";
import { Confirm } from "../../design/confirm.tsx";
import { mayDo } from "../../design/may-do.ts";
import { Button, Card, Empty, Skeleton, Time } from "../../design/parts.tsx";
import { shareOf, spellMoney } from "../../format/money.ts";
import { count, spellShare } from "../../format/numbers.ts";
import { useAccount } from "../../frame/account.ts";
import { useOpen } from "../../frame/open.ts";
import type { Column } from "../../table/column.ts";
import { useLook } from "../../table/look.tsx";
import { NotRead } from "../../table/paged.tsx";
import { Table } from "../../table/table.tsx";
import { CostTabs } from "./cost-tabs.tsx";
import { SetBudget } from "./set-budget.tsx";
import { stops } from "./stops.ts";

/** The budget of each account, the amount spent, and what happens when it is spent. */
export default function BudgetsPage() {
  const may = useMay();
  /** The account whose budget is set; empty: one is chosen in the dialog. */
  const [setting, open] = useOpen("budget");
  const [dropping, setDropping] = useState<BudgetShape | undefined>();
  const account = useAccount();
  const query = account === "" ? {} : { account };
  const { data, error, isFetching, refetch } = useCall("listBudgets", { query }, { everyMs: 15_000 });
  const columns = columnsOf(open, setDropping);
  const { look, choice } = useLook(columns);
  return (
    <div className="page">
      <div className="head">
        <h1>Cost</h1>
        {may("budget.write") && (
          <Button kind="primary" data-act="setBudget" disabled={data === undefined} onClick={() => open("")}>
            Set a budget
          </Button>
        )}
      </div>
      <CostTabs here="budgets" />
      {data === undefined && error !== null ? (
        <NotRead error={error} busy={isFetching} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Skeleton lines={4} />
      ) : (
        <Card
          flush
          title={count(data.items.length, "budget")}
          beside={
            <div className="row wrap">
              <span className="quiet small">before credits for lending</span>
              {choice}
            </div>
          }
        >
          {data.items.length === 0 ? (
            <Empty title="No budgets yet" command="npx tess budget --help" />
          ) : (
            <Table label="Budgets" items={data.items} columns={columns} look={look} keyOf={({ account }) => account} />
          )}
        </Card>
      )}
      {setting !== undefined && data !== undefined && may("budget.write") && (
        <SetBudget budgets={data.items} {...(setting !== "" && { account: setting })} onClose={() => open(undefined)} />
      )}
      {dropping !== undefined && <AskDrop budget={dropping} onClose={() => setDropping(undefined)} />}
    </div>
  );
}

const amountColumns: readonly Column<BudgetShape>[] = [
  { label: "Account", show: ({ account }) => account, by: ({ account }) => account },
  {
    label: "Spent",
    percent: 40,
    below: true,
    show: ({ spentMicros, limitMicros, forecastMicros, currency, every }) => {
      const spent = shareOf(spentMicros, limitMicros);
      return (
        <>
          <div className="bar" role="img" aria-label={`${spellShare(spent, 1)} is spent`}>
            <div className="part used" style={{ left: 0, width: `${Math.min(100, 100 * spent)}%` }} />
            <div
              className="part tick"
              style={{ left: `${Math.min(99.5, 100 * shareOf(forecastMicros, limitMicros))}%` }}
              title="forecast"
            />
          </div>
          <span className="small">
            {spellMoney(spentMicros, currency)} of {spellMoney(limitMicros, currency)}{" "}
            {every === "month" ? "this month" : "once"} ({spellShare(spent, 1)})
          </span>
        </>
      );
    },
    by: ({ spentMicros, limitMicros }) => shareOf(spentMicros, limitMicros),
  },
  {
    label: "Limit",
    number: true,
    usual: false,
    below: true,
    show: ({ limitMicros, currency }) => spellMoney(limitMicros, currency),
    by: ({ limitMicros }) => BigInt(limitMicros),
  },
  {
    label: "Comes to",
    number: true,
    below: true,
    show: ({ forecastMicros, overMicros, currency }) => (
      <>
        {spellMoney(forecastMicros, currency)}
        {overMicros !== undefined && <div className="small quiet">over by {spellMoney(overMicros, currency)}</div>}
      </>
    ),
    by: ({ forecastMicros }) => BigInt(forecastMicros),
  },
  {
    label: "Used up",
    below: true,
    show: ({ spentAt }) => spentAt !== undefined && <Time at={spentAt} />,
    by: ({ spentAt = "~" }) => spentAt,
  },
  {
    label: "When it is spent",
    below: true,
    show: ({ stop, stopped }) => (
      <>
        {stops[stop]}{" "}
        {stopped !== "none" && (
          <Chip tone="down" shape="cross">
            {stopped}
          </Chip>
        )}
      </>
    ),
    by: ({ stop }) => stops[stop],
  },
];

function columnsOf(onEdit: (account: string) => void, onDrop: (budget: BudgetShape) => void) {
  const acts: Column<BudgetShape> = {
    label: "Acts",
    hasNoHead: true,
    number: true,
    nowrap: true,
    show: (budget) => (
      <>
        {mayDo("setBudget", budget) && (
          <Button small data-act="setBudget" onClick={() => onEdit(budget.account)}>
            Change
          </Button>
        )}{" "}
        {mayDo("dropBudget", budget) && (
          <Button small data-act="dropBudget" onClick={() => onDrop(budget)}>
            Delete
          </Button>
        )}
      </>
    ),
  };
  return [...amountColumns, acts];
}

function AskDrop({ budget: { account, stopped }, onClose }: { budget: BudgetShape; onClose: () => void }) {
  const drop = useAct("dropBudget", () => `${account} has no budget any more.`);
  return (
    <Confirm
      title={`Delete the budget of ${account}?`}
      act="Delete the budget"
      busy={drop.isPending}
      onAct={() => drop.mutate({ at: { account } }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <p>
        Nothing limits what {account} spends any more, and no alert is sent.
        {stopped !== "none" && " Its jobs, which the budget stops now, may start again."}
      </p>
    </Confirm>
  );
}
