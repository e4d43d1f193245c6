import { useQuery } from "@tanstack/react-query";
import type { EntryShape, LedgerPage as Page } from "@tessera/wire";
import { useMemo, useState } from "react";
import { call, isNotShown } from "../../api/call.ts";
import { useMay } from "../../api/me.tsx";
import { useCall } from "../../api/use-call.ts";
import { Button, Card, Empty, Figure, Notice, Skeleton, Time } from "../../design/parts.tsx";
import { Select } from "../../design/select.tsx";
import { saveCsv } from "../../format/csv.ts";
import { spellMoney } from "../../format/money.ts";
import { count } from "../../format/numbers.ts";
import { tenantOf, useAccount } from "../../frame/account.ts";
import { useAddress } from "../../frame/address.ts";
import { useOpen } from "../../frame/open.ts";
import type { Column } from "../../table/column.ts";
import { useLook } from "../../table/look.tsx";
import { NotRead } from "../../table/paged.tsx";
import { Table } from "../../table/table.tsx";
import { Views } from "../../table/views.tsx";
import { CostTabs } from "./cost-tabs.tsx";
import { balancesAfter, balanceWords, bookWords, csvRows, lastMonths } from "./ledger-view.ts";
import { PostEntry } from "./post-entry.tsx";

/** More than this is read with `tess ledger get`. */
const entriesMax = 10_000;

/** The books entry by entry, of one tenant or of all, with what the tenant owed after each; the choice is in the address. */
export default function LedgerPage() {
  const may = useMay();
  const [params, set] = useAddress();
  const [posting, open] = useOpen("ledger entry");
  const [months] = useState(() => lastMonths(24, Date.now()));
  // The books know tenants: of a team that the pages are narrowed to, the one above it.
  const tenant = tenantOf(useAccount());
  const since = params.get("since") ?? months[2]!;
  const billing = useCall("listBilling");
  const tenants = (billing.data?.items ?? []).map((each) => each.tenant);
  const { data, error, isFetching, refetch } = useLedger(tenant, since);
  const after = useMemo(
    () =>
      data === undefined || tenant === ""
        ? undefined
        : balancesAfter(data.read, `tenant/${tenant}/owed`, owedNow(data.balances, tenant)),
    [data, tenant],
  );
  const rows = useMemo(() => data?.items.map((entry, i) => ({ entry, after: after?.[i] })), [data, after]);
  const columns = after === undefined ? plainColumns : tenantColumns;
  const { look, choice } = useLook(columns);
  return (
    <div className="page">
      <div className="head">
        <h1>Cost</h1>
        <div className="row wrap">
          <Select
            style={{ width: 180 }}
            aria-label="Tenant"
            value={tenant}
            of={[["", "every tenant"], ...tenants]}
            onChange={(account) => set({ account }, { push: true })}
          />
          <Select
            style={{ width: 150 }}
            aria-label="Since"
            value={since}
            of={[...months.map((month) => [month, `since ${month}`] as const), ["all", "since the beginning"]]}
            onChange={(next) => set({ since: next }, { push: true })}
          />
          <Button
            disabled={data === undefined || data.items.length === 0}
            onClick={() => saveCsv(`ledger-${tenant === "" ? "all" : tenant}.csv`, csvRows(data!.items, after))}
          >
            CSV
          </Button>
          {may("bill.write") && tenants.length > 0 && (
            <Button kind="primary" onClick={() => open(tenant)}>
              Post an entry
            </Button>
          )}
        </div>
      </div>
      <CostTabs here="ledger" />
      <Views filters={["since"]} />
      {data === undefined && error !== null ? (
        <NotRead error={error} busy={isFetching} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Skeleton lines={6} />
      ) : (
        <>
          <Balances balances={data.balances} tenant={tenant} />
          {data.cut && (
            <Notice kind="warn">
              Only the newest {count(entriesMax, "entry", "entries")} are shown. The whole list:{" "}
              <code>tess ledger get {tenant} -o csv</code>
            </Notice>
          )}
          <Card
            flush
            title={count(data.items.length, "entry", "entries")}
            beside={
              <span className="row wrap">
                <span className="quiet small">double entry; an entry is never changed</span>
                {choice}
              </span>
            }
          >
            {data.items.length === 0 ? (
              <Empty
                title="Nothing was booked in this time"
                command={`npx tess ledger post ${tenant === "" ? "TENANT" : tenant} --kind payment --amount 5000 --memo WHY`}
              />
            ) : (
              <Table
                label="Entries"
                items={rows}
                columns={columns}
                look={look}
                keyOf={keyOf}
                about={`${tenant} ${since}`}
                height={640}
              />
            )}
          </Card>
        </>
      )}
      {posting !== undefined && billing.data !== undefined && may("bill.write") && (
        <PostEntry tenants={tenants} tenant={posting} onClose={() => open(undefined)} />
      )}
    </div>
  );
}

interface Ledger {
  /** From the newest to the oldest that was asked for. */
  readonly items: readonly EntryShape[];
  readonly read: readonly EntryShape[];
  readonly balances: Page["balances"];
  readonly cut: boolean;
}

/** Reads back page by page to the first day of a month: what a tenant owed is counted back from what it owes now. */
function useLedger(account: string, since: string) {
  return useQuery({
    queryKey: ["ledger", account, since],
    queryFn: async ({ signal }): Promise<Ledger> => {
      const read: EntryShape[] = [];
      let balances: Page["balances"] = {};
      let cursor: string | undefined;
      for (;;) {
        const query = { limit: 1000, ...(account !== "" && { account }), ...(cursor !== undefined && { cursor }) };
        const page = await call("listEntries", { query, signal });
        if (cursor === undefined) balances = page.balances;
        read.push(...page.items);
        cursor = page.next;
        const isDone = cursor === undefined || (since !== "all" && (read.at(-1)?.at ?? "") < since);
        if (isDone || read.length >= entriesMax) {
          const items = since === "all" ? read : read.filter(({ at }) => at >= since);
          return { items, read, balances, cut: !isDone };
        }
      }
    },
    refetchInterval: 30_000,
    throwOnError: isNotShown,
  });
}

/** Of the book of what a tenant owes; nothing booked is nothing owed. */
function owedNow(balances: Page["balances"], tenant: string): string {
  const found = Object.entries(balances).find(([book]) => book.endsWith(` tenant/${tenant}/owed`));
  return found?.[1] ?? "0";
}

function Balances({ balances, tenant }: { balances: Page["balances"]; tenant: string }) {
  const books = Object.entries(balances)
    .map(([book, micros]) => ({
      currency: book.slice(0, 3),
      book: book.slice(4),
      ...balanceWords(book.slice(4), micros),
    }))
    .filter(({ book }) => tenant === "" || book.startsWith(`tenant/${tenant}/`));
  if (books.length === 0) return null;
  if (books.length <= 3)
    return (
      <div className="grid">
        {books.map(({ currency, book, label, micros }) => (
          <div key={book} className="span-4">
            <Figure label={label} value={spellMoney(micros, currency)} />
          </div>
        ))}
      </div>
    );
  return (
    <details className="card">
      <summary className="body">{count(books.length, "book")} with their balances</summary>
      <dl className="facts" style={{ padding: "0 16px 16px" }}>
        {books.map(({ currency, book, label, micros }) => (
          <div key={book} style={{ display: "contents" }}>
            <dt>{label}</dt>
            <dd>{spellMoney(micros, currency)}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

interface Row {
  readonly entry: EntryShape;
  readonly after: string | undefined;
}

const keyOf = ({ entry }: Row) => `${entry.legs.map(({ account }) => account).join(" ")} ${entry.no}`;

function booksOf({ legs }: EntryShape, isFrom: boolean): string {
  return legs
    .filter(({ micros }) => micros !== "0" && micros.startsWith("-") === isFrom)
    .map(({ account }) => bookWords(account))
    .join(", ");
}

function whyOf({ memo, invoice, line }: EntryShape): string {
  return `${invoice === undefined ? "" : `${invoice}${line === undefined ? "" : `/${line}`} `}${memo}`;
}

const plainColumns: readonly Column<Row>[] = [
  { label: "Kind", width: 96, show: ({ entry }) => entry.kind, by: ({ entry }) => entry.kind },
  { label: "No", width: 56, number: true, below: true, show: ({ entry }) => entry.no, by: ({ entry }) => entry.no },
  {
    label: "When",
    width: 120,
    below: true,
    show: ({ entry }) => <Time at={entry.at} />,
    by: ({ entry }) => entry.at,
  },
  {
    label: "Amount",
    width: [110, 1],
    number: true,
    show: ({ entry }) => spellMoney(entry.legs[0]?.micros ?? "0", entry.currency),
    by: ({ entry }) => BigInt(entry.legs[0]?.micros ?? "0"),
  },
  {
    label: "From, to",
    width: [180, 2],
    below: true,
    show: ({ entry }) => (
      <span title={entry.legs.map(({ account }) => account).join("\n")}>
        {booksOf(entry, true)} → {booksOf(entry, false)}
      </span>
    ),
  },
  { label: "Why", width: [140, 2], below: true, show: ({ entry }) => whyOf(entry), by: ({ entry }) => whyOf(entry) },
];

/** With what the tenant owed after each entry, which is known of one tenant only. */
const tenantColumns: readonly Column<Row>[] = [
  ...plainColumns,
  {
    label: "Owed after",
    width: [110, 1],
    number: true,
    show: ({ entry, after = "0" }) => spellMoney(after, entry.currency),
    by: ({ after = "0" }) => BigInt(after),
  },
];
