import { Tabs } from "../../design/parts.tsx";

const tabs = [
  { href: "/fleet", label: "Map" },
  { href: "/fleet/engines", label: "Engines" },
  { href: "/fleet/pools", label: "Pools" },
] as const;

/** The parts of the fleet. */
export function FleetTabs({ here }: { here: (typeof tabs)[number]["label"] }) {
  return <Tabs label="Fleet" tabs={tabs.map((tab) => ({ ...tab, here: tab.label === here }))} />;
}
