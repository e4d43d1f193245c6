import type { SummaryShape } from "@tessera/wire";
import { useMemo } from "react";
import { Link } from "wouter";
import { wordsOf } from "../../api/call.ts";
import { isOwner, useMe } from "../../api/me.tsx";
import { useCall } from "../../api/use-call.ts";
import { OrElse } from "../../chart/fallback.tsx";
import { onDemand } from "../../design/on-demand.tsx";
import { Card, Empty, Figure, Skeleton, Time } from "../../design/parts.tsx";
import { spellMoney } from "../../format/money.ts";
import { count, nounFor, spellGpus, spellNumber } from "../../format/numbers.ts";
import { isWithin, useAccount } from "../../frame/account.ts";
import type { Column } from "../../table/column.ts";
import { useLook } from "../../table/look.tsx";
import { Table } from "../../table/table.tsx";
import { ClassBar } from "../quota/quota-bar.tsx";
import { heldWords } from "./guarantor.ts";
import { NearBudgets } from "./near-budgets.tsx";
import { addedUp, restOf } from "./teams.ts";
import { WaitsLongest } from "./waits-longest.tsx";

const OwnCharts = onDemand(() => import("./own-charts.tsx"));

type Team = NonNullable<SummaryShape["below"]>[number];

/** The accounts below those that a person administers: what each holds, waits for, spends and loses. */
export default function TeamsHome() {
  const me = useMe();
  const chosen = useAccount();
  const roots = me.bindings.filter(({ role }) => /-(admin|owner)$/.test(role)).map(({ account }) => account);
  const account = chosen || (roots.length === 1 ? roots[0]! : "");
  const of = account === "" ? {} : { account };
  const query = { below: true, ...(account !== "" && { project: account }) };
  const summary = useCall("readSummary", { query }, { everyMs: 5_000 }).data;
  const spent = useCall("readCosts", { query: { by: "account", from: "24h", ...of } }, { everyMs: 60_000 });
  const costs = spent.data;
  if (summary === undefined) {
    return (
      <div className="page">
        <h1>Teams</h1>
        <Skeleton lines={8} />
      </div>
    );
  }
  const teams = summary.below ?? [];
  const spentBy = costs && addedUp(costs.rows, teams);
  const { accounts = teams.length, failed } = summary.belowTotal ?? {};
  return (
    <div className="page">
      <div className="head">
        <h1>{account === "" ? (isOwner(me) ? "Tenants" : "Teams") : `Teams of ${account}`}</h1>
      </div>
      <div className="grid">
        <div className="span-3">
          <Figure
            label="Running"
            value={spellNumber(summary.running.jobs)}
            unit={nounFor(summary.running.jobs, "job")}
            beside={`on ${spellGpus(summary.running.gpus)}`}
          />
        </div>
        <div className="span-3">
          <Figure
            label="Waiting"
            value={spellNumber(summary.waiting.jobs)}
            unit={nounFor(summary.waiting.jobs, "job")}
            beside={`for ${spellGpus(summary.waiting.gpus)}`}
          />
        </div>
        <div className="span-3">
          <Figure
            label="Spent in 24 h"
            value={costs === undefined ? "–" : spellMoney(costs.totalMicros, costs.currency)}
            beside={
              costs === undefined && spent.isError
                ? wordsOf(spent.error)
                : account === ""
                  ? "of all accounts"
                  : `of ${account} and all accounts below`
            }
          />
        </div>
        <div className="span-3">
          <Figure
            label="Failed in 24 h"
            value={failed === undefined ? "–" : spellNumber(failed)}
            {...(failed !== undefined && { unit: nounFor(failed, "job") })}
            beside={failed === undefined ? "not known now" : "in the accounts below"}
          />
        </div>
      </div>
      <Card
        flush
        title={count(accounts, "account")}
        beside={
          teams.length < accounts && (
            <span className="quiet small">the {teams.length} that hold and wait for most GPUs</span>
          )
        }
      >
        {teams.length === 0 ? (
          <Empty title={`Nothing is below ${account || "the platform"} yet`}>
            <Link href={account === "" ? "/quota" : `/quota/${account}`}>Make an account</Link>
          </Empty>
        ) : (
          <Teams
            teams={teams}
            costs={spentBy}
            rest={costs && spentBy && restOf(costs.totalMicros, spentBy)}
            beside={
              teams.length < accounts ? "all others" : account === "" ? "the platform itself" : `${account} itself`
            }
            currency={costs?.currency ?? ""}
          />
        )}
      </Card>
      <div className="grid">
        <WaitsLongest account={account} />
        <NearBudgets isShown={(path) => isWithin(path, account)} />
      </div>
      <OrElse instead={null}>
        <OwnCharts />
      </OrElse>
    </div>
  );
}

interface TeamsProps {
  readonly teams: readonly Team[];
  readonly costs: ReadonlyMap<string, string> | undefined;
  /** What was spent beside these, so that the whole adds up, and whose that is. */
  readonly rest: string | undefined;
  readonly beside: string;
  readonly currency: string;
}

function Teams({ teams, costs, rest = "0", beside, currency }: TeamsProps) {
  const columns = useMemo(() => columnsOf(teams, costs, currency), [teams, costs, currency]);
  const { look } = useLook(columns, { name: "teams" });
  const foot = columns.map(({ label }) =>
    label === "Account" ? beside : label === spentLabel ? spellMoney(rest, currency) : "",
  );
  return (
    <Table
      label="Accounts below"
      items={teams}
      columns={columns}
      look={look}
      keyOf={keyOf}
      {...(rest !== "0" && { foot: [foot] })}
      hrefOf={({ account }) => `/?home=teams&account=${encodeURIComponent(account)}`}
    />
  );
}

const spentLabel = "Spent in 24 h";
const keyOf = ({ account }: Team) => account;

function columnsOf(
  teams: readonly Team[],
  costs: ReadonlyMap<string, string> | undefined,
  currency: string,
): readonly Column<Team>[] {
  const widest = Math.max(1, ...teams.map(({ held, guarantee }) => Math.max(held, guarantee)));
  const spent: Column<Team> = {
    label: spentLabel,
    number: true,
    below: true,
    show: ({ account }) => (
      <Link href={`/cost/money?account=${encodeURIComponent(account)}`}>
        {spellMoney(costs?.get(account) ?? "0", currency)}
      </Link>
    ),
    by: ({ account }) => BigInt(costs?.get(account) ?? "0"),
  };
  return [
    { label: "Account", nowrap: true, show: ({ account }) => account, by: ({ account }) => account },
    {
      label: "Held of guarantee",
      percent: 30,
      below: true,
      show: ({ account, held, guarantee, burst }) => (
        <div className="row">
          <div style={{ flex: 1 }}>
            <ClassBar guarantee={guarantee} held={held} burst={Math.min(held, burst)} widest={widest} />
          </div>
          <Link href={`/quota/${account}`} className="small nowrap">
            {heldWords(held, guarantee, burst)}
          </Link>
        </div>
      ),
      by: ({ held }) => held,
    },
    {
      label: "Waiting",
      number: true,
      nowrap: true,
      show: ({ account, waiting }) => (
        <Link href={`/queue?account=${encodeURIComponent(account)}`}>
          {waiting.jobs === 0 ? "none" : `${count(waiting.jobs, "job")}, ${spellGpus(waiting.gpus)}`}
        </Link>
      ),
      by: ({ waiting }) => waiting.gpus,
    },
    {
      label: "Longest wait since",
      below: true,
      show: ({ waiting }) => (waiting.oldestAt === undefined ? "" : <Time at={waiting.oldestAt} />),
      by: ({ waiting }) => waiting.oldestAt ?? "~",
    },
    ...(costs === undefined ? [] : [spent]),
    {
      label: "Failed in 24 h",
      number: true,
      below: true,
      show: ({ account, failed }) =>
        failed === undefined ? (
          "–"
        ) : (
          <Link href={`/jobs?state=failed&account=${encodeURIComponent(account)}`}>{spellNumber(failed)}</Link>
        ),
      by: ({ failed = -1 }) => failed,
    },
  ];
}
