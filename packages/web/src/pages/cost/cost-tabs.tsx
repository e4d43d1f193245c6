import { useMay } from "../../api/me.tsx";
import { Tabs } from "../../design/parts.tsx";
import { useCarried } from "../../frame/carried.ts";

export type CostTab = "usage" | "waste" | "money" | "budgets" | "invoices" | "ledger" | "contracts" | "close";
const needs: Readonly<Record<CostTab, string>> = {
  usage: "usage.read",
  waste: "usage.read",
  money: "cost.read",
  budgets: "budget.read",
  invoices: "invoice.read",
  ledger: "ledger.read",
  contracts: "invoice.read",
  close: "bill.write",
};
const words: Readonly<Record<CostTab, string>> = {
  usage: "GPU-hours",
  waste: "Waste",
  money: "Money",
  budgets: "Budgets",
  invoices: "Invoices",
  ledger: "Ledger",
  contracts: "Contracts",
  close: "Close a month",
};

/** The parts of the cost explorer that this person may see. */
export function CostTabs({ here }: { here: CostTab }) {
  const may = useMay();
  const carry = useCarried();
  const tabs = (Object.keys(needs) as CostTab[])
    .filter((tab) => may(needs[tab]))
    .map((tab) => ({
      href: carry(tab === "usage" ? "/cost" : `/cost/${tab}`),
      label: words[tab],
      here: tab === here,
    }));
  return <Tabs label="Cost" tabs={tabs} />;
}
