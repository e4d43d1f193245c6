import { useMay } from "../../api/me.tsx";
import { Tabs } from "../../design/parts.tsx";

export type CostTab = "usage" | "waste" | "money" | "budgets" | "invoices";
const needs: Readonly<Record<CostTab, string>> = {
  usage: "usage.read",
  waste: "usage.read",
  money: "cost.read",
  budgets: "budget.read",
  invoices: "invoice.read",
};
const words: Readonly<Record<CostTab, string>> = {
  usage: "GPU-hours",
  waste: "Waste",
  money: "Money",
  budgets: "Budgets",
  invoices: "Invoices",
};

/** The parts of the cost explorer that this person may see. */
export function CostTabs({ here }: { here: CostTab }) {
  const may = useMay();
  const tabs = (Object.keys(needs) as CostTab[])
    .filter((tab) => may(needs[tab]))
    .map((tab) => ({ href: tab === "usage" ? "/cost" : `/cost/${tab}`, label: words[tab], here: tab === here }));
  return <Tabs label="Cost" tabs={tabs} />;
}
