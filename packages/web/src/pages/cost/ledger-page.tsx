import { useQuery } from "@tanstack/react-query";
import type { EntryShape, LedgerPage as Page } from "@tessera/wire";
import { useState } from "react";
import { useSearchParams } from "wouter";
import { call, isNotShown } from "../../api/call.ts";
import { useMay } from "../../api/me.tsx";
import { useCall } from "../../api/use-call.ts";
import { Button, Card, Empty, Figure, Notice, Skeleton, Time } from "../../design/parts.tsx";
import { type Column, Rows } from "../../design/rows.tsx";
import { saveCsv } from "../../format/csv.ts";
import { spellMoney } from "../../format/money.ts";
import { count } from "../../format/numbers.ts";
import { useOpen } from "../../frame/open.ts";
import { CostTabs } from "./cost-tabs.tsx";
import { balancesAfter, balanceWords, bookWords, csvRows, lastMonths } from "./ledger-view.ts";
import { PostEntry } from "./post-entry.tsx";

/** More than this is read with `tess ledger get`. */
const entriesMax = 10_000;

/** The books entry by entry, of one tenant or of all, with what the tenant owed after each; the choice is in the address. */
export default function LedgerPage() {
  const may = useMay();
  const [params, setParams] = useSearchParams();
  const [posting, open] = useOpen("ledger entry");
  const [months] = useState(() => lastMonths(24, Date.now()));
  // The books know tenants: of a team that the pages are narrowed to, the one above it.
  const tenant = (params.get("account") ?? "").split("/")[0]!;
  const since = params.get("since") ?? months[2]!;
  const choose = (name: "account" | "since", value: string) =>
    setParams(
      (before) => {
        before.set(name, value);
        return before;
      },
      { replace: true },
    );
  const billing = useCall("listBilling");
  const tenants = (billing.data?.items ?? []).map((each) => each.tenant);
  const { data } = useLedger(tenant, since);
  const balance = data === undefined || tenant === "" ? undefined : owedNow(data.balances, tenant);
  const after =
    data === undefined || balance === undefined
      ? undefined
      : balancesAfter(data.read, `tenant/${tenant}/owed`, balance.micros);
  return (
    <div className="page">
      <div className="head">
        <h1>Cost</h1>
        <div className="row wrap">
          <select
            className="input"
            style={{ width: 180 }}
            aria-label="Tenant"
            value={tenant}
            onChange={(event) => choose("account", event.target.value)}
          >
            <option value="">every tenant</option>
            {tenants.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
          <select
            className="input"
            style={{ width: 150 }}
            aria-label="Since"
            value={since}
            onChange={(event) => choose("since", event.target.value)}
          >
            {months.map((month) => (
              <option key={month} value={month}>
                since {month}
              </option>
            ))}
            <option value="all">since the beginning</option>
          </select>
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
      {data === undefined ? (
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
            beside={<span className="quiet small">double entry; an entry is never changed</span>}
          >
            {data.items.length === 0 ? (
              <Empty
                title="Nothing was booked in this time"
                command={`npx tess ledger post ${tenant === "" ? "TENANT" : tenant} --kind payment --amount 5000 --memo WHY`}
              />
            ) : (
              <Rows
                label="Entries"
                items={data.items.map((entry, i) => ({ entry, after: after?.[i] }))}
                columns={columnsOf(after !== undefined)}
                height={Math.min(640, 40 * data.items.length + 2)}
                keyOf={({ entry }) => `${entry.legs.map(({ account }) => account).join(" ")} ${entry.no}`}
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
function owedNow(balances: Page["balances"], tenant: string): { micros: string } {
  const found = Object.entries(balances).find(([book]) => book.endsWith(` tenant/${tenant}/owed`));
  return { micros: found?.[1] ?? "0" };
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

function columnsOf(balance: boolean): Column<Row>[] {
  const money = (micros: string, currency: string) => spellMoney(micros, currency);
  return [
    { label: "No", width: "56px", show: ({ entry }) => entry.no, wide: true },
    { label: "When", width: "120px", show: ({ entry }) => <Time at={entry.at} />, wide: true },
    { label: "Kind", width: "96px", show: ({ entry }) => entry.kind },
    {
      label: "Amount",
      width: "minmax(0, 1fr)",
      show: ({ entry }) => money(entry.legs[0]?.micros ?? "0", entry.currency),
    },
    {
      label: "From, to",
      width: "minmax(0, 2fr)",
      wide: true,
      show: ({ entry: { legs } }) => (
        <span title={legs.map(({ account }) => account).join("\n")}>
          {legs
            .filter(({ micros }) => micros.startsWith("-"))
            .map(({ account }) => bookWords(account))
            .join(", ")}
          {" → "}
          {legs
            .filter(({ micros }) => !micros.startsWith("-") && micros !== "0")
            .map(({ account }) => bookWords(account))
            .join(", ")}
        </span>
      ),
    },
    {
      label: "Why",
      width: "minmax(0, 2fr)",
      wide: true,
      show: ({ entry: { memo, invoice, line } }) =>
        `${invoice === undefined ? "" : `${invoice}${line === undefined ? "" : `/${line}`} `}${memo}`,
    },
    ...(balance
      ? [
          {
            label: "Owed after",
            width: "minmax(0, 1fr)",
            show: ({ entry, after }: Row) => money(after ?? "0", entry.currency),
          },
        ]
      : []),
  ];
}
