import { isOwner, useMe } from "../../api/me.tsx";
import { FinanceHome } from "./finance-home.tsx";
import { OwnerHome } from "./owner-home.tsx";
import { UserHome } from "./user-home.tsx";

/** The first glance: the fleet for its owner, one's own work for those who have some, else what was used. */
export function HomePage() {
  const me = useMe();
  if (isOwner(me)) return <OwnerHome />;
  return me.may.includes("job.read") ? <UserHome /> : <FinanceHome />;
}
