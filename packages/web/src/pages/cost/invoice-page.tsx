import type { LineShape } from "@tessera/wire";
import { useMemo, useState } from "react";
import { Link, useParams } from "wouter";
import { wordsOf } from "../../api/call.ts";
import { useCall } from "../../api/use-call.ts";
import { Dialog } from "../../design/dialog.tsx";
import { Missing } from "../../design/missing.tsx";
import { Button, Card, Skeleton } from "../../design/parts.tsx";
import { chargedModel } from "../../format/model-words.ts";
import { spellMoney } from "../../format/money.ts";
import { count } from "../../format/numbers.ts";
import { spellDate, spellDay } from "../../format/times.ts";
import { decoded } from "../../frame/address.ts";
import { toast } from "../../frame/toasts.tsx";
import type { Column } from "../../table/column.ts";
import { Table } from "../../table/table.tsx";
import { sumWords } from "./cost-rows.ts";
import { issuer, saveFocusFile } from "./focus-file.ts";
import { VerifyInvoice } from "./verify-invoice.tsx";

/** An invoice as a page that prints well; each line can be explained. */
export default function InvoicePage() {
  const { account = "", period = "" } = useParams<{ account: string; period: string }>();
  const at = { account: decoded(account), period };
  const { data: invoice, error } = useCall("getInvoice", { at });
  const [line, setLine] = useState<LineShape | undefined>();
  const columns = useMemo(() => columnsOf(invoice?.currency ?? "", setLine), [invoice?.currency]);
  if (invoice === undefined) {
    return error !== null ? (
      <Missing title="There is no such invoice" why={wordsOf(error)} href="/cost/invoices" go="All invoices" />
    ) : (
      <div className="page">
        <Skeleton lines={6} />
      </div>
    );
  }
  const money = (micros: string) => spellMoney(micros, invoice.currency);
  return (
    <div className="page">
      <div className="head">
        <div>
          <h1>
            {invoice.status === "draft" ? "Draft of an invoice" : `Invoice ${invoice.number}`} for {invoice.tenant}
          </h1>
          <p>
            From {issuer} at {location.host} to {invoice.tenant}.{" "}
            {invoice.issuedAt === undefined
              ? "Not issued: a draft of the current month."
              : `Issued on ${spellDate(invoice.issuedAt, invoice.tz)}.`}
          </p>
          <p className="quiet">
            {invoice.period}, {spellDate(invoice.from, invoice.tz)} to {spellDate(invoice.to, invoice.tz)} ({invoice.tz}
            ), {invoice.mode}
          </p>
        </div>
        <div className="row no-print">
          <Link href="/cost/invoices">All invoices</Link>
          <Button onClick={() => saveFocusFile(at, invoice).catch((error) => toast("bad", wordsOf(error)))}>
            FOCUS file
          </Button>
          <Button onClick={() => print()}>Print</Button>
        </div>
      </div>
      <Card flush>
        <Table label="Lines" items={invoice.lines} columns={columns} keyOf={({ line: no }) => String(no)} />
        <dl className="facts" style={{ padding: 16 }}>
          <dt>Charges</dt>
          <dd>{money(invoice.chargesMicros)}</dd>
          <dt>Credits</dt>
          <dd>{money(invoice.creditsMicros)}</dd>
          <dt>Rounding</dt>
          <dd>{money(invoice.roundingMicros)}</dd>
          <dt>
            <strong>Total</strong>
          </dt>
          <dd>
            <strong>{money(invoice.totalMicros)}</strong>
          </dd>
        </dl>
      </Card>
      {invoice.status === "issued" && !at.account.includes("/") && <VerifyInvoice at={at} invoice={invoice} />}
      {line !== undefined && <Explained at={at} line={line} money={money} onClose={() => setLine(undefined)} />}
    </div>
  );
}

function columnsOf(currency: string, onExplain: (line: LineShape) => void): readonly Column<LineShape>[] {
  return [
    {
      label: "Line",
      nowrap: true,
      show: (line) => (
        <button
          type="button"
          className="button plain small"
          onClick={() => onExplain(line)}
          aria-label={`Explain line ${line.line}`}
        >
          {line.line}
        </button>
      ),
    },
    { label: "What", show: ({ kind }) => kind },
    { label: "Account", below: true, show: ({ account }) => account },
    {
      label: "Model",
      below: true,
      show: ({ model, profile }) => [chargedModel(model), profile].filter((part) => part !== "").join(" "),
    },
    {
      label: "Hours",
      number: true,
      below: true,
      show: ({ hours, unit }) => (unit === "none" ? "" : `${hours} ${unit}s`),
    },
    { label: "Amount", number: true, show: ({ micros }) => spellMoney(micros, currency) },
  ];
}

const hoursShown = 48;

function Explained(props: {
  at: { account: string; period: string };
  line: LineShape;
  money: (micros: string) => string;
  onClose: () => void;
}) {
  const { data } = useCall("explainLine", { at: { ...props.at, line: String(props.line.line) } });
  return (
    <Dialog title={`Line ${props.line.line}: ${props.line.kind}`} onClose={props.onClose} light>
      {data === undefined ? (
        <Skeleton />
      ) : (
        <div className="stack tight">
          <p>{sumWords(data)}</p>
          <p className="quiet small break">Exactly: {data.arithmetic}</p>
          <ul className="list">
            {data.hours.slice(0, hoursShown).map(({ from, micros }) => (
              <li key={from}>
                <span style={{ flex: 1 }}>{spellDay(Date.parse(from))}</span>
                {props.money(micros)}
              </li>
            ))}
          </ul>
          {data.hours.length > hoursShown && (
            <p className="quiet small">
              The first {hoursShown} of {count(data.hours.length, "hour")}; <code>npx tess invoice --help</code> tells
              how to get all.
            </p>
          )}
          <p className="quiet small">{data.stretches.length} stretches of leases are behind it.</p>
        </div>
      )}
    </Dialog>
  );
}
