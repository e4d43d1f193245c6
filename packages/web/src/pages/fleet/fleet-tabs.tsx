import { useMay } from "../../api/me.tsx";
import { Tabs } from "../../design/parts.tsx";

const tabs = [
  { href: "/fleet", label: "Map" },
  { href: "/fleet/engines", label: "Engines" },
  { href: "/fleet/pools", label: "Pools" },
  { href: "/fleet/what-if", label: "What if", needs: "policy.write" },
] as const;

/** The parts of the fleet that this person may see. */
export function FleetTabs({ here }: { here: (typeof tabs)[number]["label"] }) {
  const may = useMay();
  const shown = tabs.filter((tab) => !("needs" in tab) || may(tab.needs));
  return <Tabs label="Fleet" tabs={shown.map(({ href, label }) => ({ href, label, here: label === here }))} />;
}
