import type { ComponentType } from "react";
import { useMe } from "../../api/me.tsx";
import { pageOnDemand } from "../../design/on-demand.tsx";
import { Tabs } from "../../design/parts.tsx";
import { accountParameter, useAccount } from "../../frame/account.ts";
import { useAddress } from "../../frame/address.ts";
import { carried } from "../../frame/carried.ts";
import { type HomeName, homes, homesFor } from "./homes.ts";
import { NoRoleHome } from "./no-role-home.tsx";
import { OwnerHome } from "./owner-home.tsx";
import { WorkHome } from "./work-home.tsx";

const shown: Readonly<Record<HomeName, ComponentType>> = {
  fleet: OwnerHome,
  teams: pageOnDemand(() => import("./teams-home.tsx")),
  work: () => <WorkHome mine />,
  seen: () => <WorkHome mine={false} />,
  oversight: pageOnDemand(() => import("./oversight-home.tsx")),
  spending: pageOnDemand(() => import("./spending-home.tsx")),
  nothing: NoRoleHome,
};

/** The home page: the richest home of the person's roles, or the one that the address names. */
export function HomePage() {
  const me = useMe();
  const account = useAccount();
  const [params] = useAddress();
  const mine = homesFor(me);
  // The fleet has no accounts: who narrows it looks at teams.
  const usual = mine[0] === "fleet" && account !== "" ? "teams" : mine[0]!;
  const here = mine.find((name) => name === params.get("home")) ?? usual;
  const Shown = shown[here];
  const ofAll = new URLSearchParams(params);
  ofAll.delete(accountParameter);
  const tabs = mine.map((name, no) => ({
    href: carried(no === 0 ? "/" : `/?home=${name}`, name === "fleet" ? ofAll : params),
    label: homes[name].label,
    here: name === here,
  }));
  return (
    <>
      {mine.length > 1 && (
        <div className="home-tabs">
          <Tabs label="Homes" tabs={tabs} />
        </div>
      )}
      <Shown />
    </>
  );
}
