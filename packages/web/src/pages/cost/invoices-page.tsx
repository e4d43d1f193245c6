import { Link } from "wouter";
import { wordsOf } from "../../api/call.ts";
import { usePages } from "../../api/use-pages.ts";
import { Chip } from "../../design/chip.tsx";
import { Card, Empty, Skeleton, Time } from "../../design/parts.tsx";
import { spellMoney } from "../../format/money.ts";
import { Billing } from "./billing.tsx";
import { CostTabs } from "./cost-tabs.tsx";

/** Drafts of the current month first, then issued invoices. */
export default function InvoicesPage() {
  const { items, error, more } = usePages("listInvoices", { limit: 100 }, 30_000);
  return (
    <div className="page">
      <div className="head">
        <h1>Cost</h1>
      </div>
      <CostTabs here="invoices" />
      <Billing />
      <Card flush title="Invoices">
        {error !== null && items === undefined ? (
          <Empty title="Not available">{wordsOf(error)}</Empty>
        ) : items === undefined ? (
          <Skeleton lines={4} />
        ) : items.length === 0 ? (
          <Empty title="No invoices yet" command="npx tess invoice --help" />
        ) : (
          <div className="table-box">
            <table className="table">
              <thead>
                <tr>
                  <th>Tenant</th>
                  <th>Month</th>
                  <th>Number</th>
                  <th>Status</th>
                  <th>Issued</th>
                  <th className="number">Total</th>
                </tr>
              </thead>
              <tbody>
                {items.map(({ tenant, period, number, status, issuedAt, totalMicros, currency }) => (
                  <tr key={`${tenant} ${period}`}>
                    <td>
                      <Link href={`/invoices/${encodeURIComponent(tenant)}/${period}`}>{tenant}</Link>
                    </td>
                    <td>{period}</td>
                    <td>{number}</td>
                    <td>
                      <Chip
                        tone={status === "issued" ? "healthy" : "idle"}
                        shape={status === "issued" ? "square" : "ring"}
                      >
                        {status}
                      </Chip>
                    </td>
                    <td>{issuedAt !== undefined && <Time at={issuedAt} />}</td>
                    <td className="number">{spellMoney(totalMicros, currency)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
            {more !== undefined && (
              <div className="row" style={{ padding: 12 }}>
                <button type="button" className="button" onClick={more}>
                  Show older
                </button>
              </div>
            )}
          </div>
        )}
      </Card>
    </div>
  );
}
