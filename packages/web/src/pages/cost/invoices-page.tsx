import type { AnswerOf } from "@tessera/wire";
import { usePages } from "../../api/use-pages.ts";
import { Chip } from "../../design/chip.tsx";
import { Empty, Time } from "../../design/parts.tsx";
import { spellMoney } from "../../format/money.ts";
import { tenantOf, useAccount } from "../../frame/account.ts";
import type { Column } from "../../table/column.ts";
import { useLook } from "../../table/look.tsx";
import { Paged } from "../../table/paged.tsx";
import { Billing } from "./billing.tsx";
import { CostTabs } from "./cost-tabs.tsx";

type Listed = AnswerOf<"listInvoices">["items"][number];

const columns: readonly Column<Listed>[] = [
  { label: "Tenant", width: [120, 2], show: ({ tenant }) => tenant },
  { label: "Month", width: 90, below: true, show: ({ period }) => period },
  { label: "Number", width: [100, 1], below: true, show: ({ number }) => number },
  {
    label: "Status",
    width: [90, 1],
    below: true,
    show: ({ status }) => (
      <Chip tone={status === "issued" ? "healthy" : "idle"} shape={status === "issued" ? "square" : "ring"}>
        {status}
      </Chip>
    ),
  },
  {
    label: "Issued",
    width: [110, 1],
    below: true,
    show: ({ issuedAt }) => issuedAt !== undefined && <Time at={issuedAt} />,
  },
  {
    label: "Total",
    width: [150, 1],
    number: true,
    show: ({ totalMicros, currency }) => spellMoney(totalMicros, currency),
  },
];
const keyOf = ({ tenant, period }: Listed) => `${tenant} ${period}`;
const hrefOf = ({ tenant, period }: Listed) => `/invoices/${encodeURIComponent(tenant)}/${period}`;

/** Drafts of the current month first, then issued invoices. */
export default function InvoicesPage() {
  const tenant = tenantOf(useAccount());
  const list = usePages("listInvoices", { limit: 100, ...(tenant !== "" && { account: tenant }) }, 30_000);
  const { look, choice } = useLook(columns);
  return (
    <div className="page">
      <div className="head">
        <h1>Cost</h1>
      </div>
      <CostTabs here="invoices" />
      <Billing tenant={tenant} />
      <Paged
        list={list}
        noun={["invoice", "invoices"]}
        filters={[]}
        beside={choice}
        empty={<Empty title="No invoices yet" command="npx tess invoice --help" />}
        table={{ label: "Invoices", columns, look, keyOf, hrefOf, height: 640 }}
      />
    </div>
  );
}
