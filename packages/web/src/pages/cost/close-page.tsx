import { useQuery } from "@tanstack/react-query";
import type { ClosePreview } from "@tessera/wire";
import { useMemo, useState } from "react";
import { Link } from "wouter";
import { call, isNotShown, wordsOf } from "../../api/call.ts";
import { useAct } from "../../api/use-call.ts";
import { Chip } from "../../design/chip.tsx";
import { Confirm } from "../../design/confirm.tsx";
import { CommandLine } from "../../design/inputs.tsx";
import { Button, Card, Empty, Figure, Notice, Skeleton } from "../../design/parts.tsx";
import { Select } from "../../design/select.tsx";
import { spellMoney } from "../../format/money.ts";
import { count } from "../../format/numbers.ts";
import { spellDate } from "../../format/times.ts";
import { useAddress } from "../../frame/address.ts";
import type { Column } from "../../table/column.ts";
import { useLook } from "../../table/look.tsx";
import { Table } from "../../table/table.tsx";
import { CostTabs } from "./cost-tabs.tsx";
import { lastMonths } from "./ledger-view.ts";

/** Closes a month that is over: first the invoices that this would write, then the act. The month is in the address. */
export default function ClosePage() {
  const [params, set] = useAddress();
  const [months] = useState(() => lastMonths(13, Date.now()));
  const period = params.get("month") ?? months[1]!;
  const { data, error } = useQuery({
    queryKey: ["previewClose", period],
    queryFn: ({ signal }) => call("previewClose", { body: { period }, signal }),
    throwOnError: isNotShown,
  });
  return (
    <div className="page">
      <div className="head">
        <h1>Cost</h1>
        <Select
          style={{ width: 150 }}
          aria-label="Month"
          value={period}
          of={months}
          onChange={(month) => set({ month }, { push: true })}
        />
      </div>
      <CostTabs here="close" />
      {error !== null ? (
        <Notice kind="bad">{wordsOf(error)}</Notice>
      ) : data === undefined ? (
        <Skeleton lines={6} />
      ) : (
        <Month key={period} preview={data} />
      )}
    </div>
  );
}

type Row = ClosePreview["rows"][number];

function columnsOf(currency: string): readonly Column<Row>[] {
  return [
    { label: "Tenant", show: ({ tenant }) => tenant, by: ({ tenant }) => tenant },
    {
      label: "Billed by",
      below: true,
      show: ({ mode }) => (
        <Chip tone={mode === "chargeback" ? "guaranteed" : "idle"} shape={mode === "chargeback" ? "dot" : "ring"}>
          {mode}
        </Chip>
      ),
      by: ({ mode }) => mode,
    },
    { label: "Lines", number: true, below: true, show: ({ lines }) => lines, by: ({ lines }) => lines },
    {
      label: "Corrections",
      number: true,
      below: true,
      show: ({ corrections }) => corrections,
      by: ({ corrections }) => corrections,
    },
    {
      label: "Total",
      number: true,
      show: ({ totalMicros }) => spellMoney(totalMicros, currency),
      by: ({ totalMicros }) => BigInt(totalMicros),
    },
  ];
}

function Month({ preview }: { preview: ClosePreview }) {
  const { period, rows, issued, over, currency, tz } = preview;
  const [asking, setAsking] = useState(false);
  const columns = useMemo(() => columnsOf(currency), [currency]);
  const { look } = useLook(columns);
  const close = useAct("closePeriod", ({ invoices }) =>
    invoices.length === 0 ? `${period} is closed; there was nothing to bill.` : `${period} is closed.`,
  );
  const total = spellMoney(String(rows.reduce((sum, { totalMicros }) => sum + BigInt(totalMicros), 0n)), currency);
  const charged = rows.filter(({ mode }) => mode === "chargeback");
  return (
    <>
      <div className="grid">
        <div className="span-4">
          <Figure label="To be invoiced" value={total} beside={`${period} (${tz})`} />
        </div>
        <div className="span-4">
          <Figure
            label="Invoices to write"
            value={rows.length}
            beside={`${charged.length} owed, ${rows.length - charged.length} only shown`}
          />
        </div>
        <div className="span-4">
          <Figure label="Have their invoice" value={issued.length} beside={issued.slice(0, 3).join(", ")} />
        </div>
      </div>
      {!over && (
        <Notice>
          {period} is not over: the amounts still grow. It can be closed from {spellDate(preview.to, preview.tz)} on.
        </Notice>
      )}
      <Card
        flush
        title="Invoices that would be written"
        beside={
          over &&
          rows.length > 0 && (
            <span className="row wrap">
              <CommandLine>{`tess invoice close ${period}`}</CommandLine>
              <Button kind="primary" onClick={() => setAsking(true)}>
                Close {period}
              </Button>
            </span>
          )
        }
      >
        {rows.length === 0 ? (
          <Empty
            title={
              issued.length > 0 ? `Every tenant has its invoice of ${period}` : `Nothing is to be billed for ${period}`
            }
          >
            {issued.length > 0 && <Link href="/cost/invoices">Invoices</Link>}
          </Empty>
        ) : (
          <Table
            label="Invoices that would be written"
            items={rows}
            columns={columns}
            look={look}
            keyOf={({ tenant }) => tenant}
          />
        )}
      </Card>
      {asking && (
        <Confirm
          title={`Close ${period}?`}
          act={`Close ${period}`}
          busy={close.isPending}
          onAct={() => close.mutate({ body: { period } }, { onSuccess: () => setAsking(false) })}
          onClose={() => setAsking(false)}
        >
          <p>
            {count(rows.length, "invoice")} over {total} {rows.length === 1 ? "is" : "are"} written now and booked in
            the ledger{charged.length > 0 && `; ${count(charged.length, "tenant")} then owe what is on them`}.
          </p>
          <p>
            It cannot be taken back. Usage of {period} that becomes known later is corrected in the next invoice, and
            mistakes by an adjustment in the ledger.
          </p>
        </Confirm>
      )}
    </>
  );
}
