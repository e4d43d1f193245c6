import { isOwner, useMe } from "../../api/me.tsx";
import { FinanceHome } from "./finance-home.tsx";
import { OwnerHome } from "./owner-home.tsx";
import { UserHome } from "./user-home.tsx";

/** The home page: the fleet for its owner, the user's own jobs for users with any, else usage. */
export function HomePage() {
  const me = useMe();
  if (isOwner(me)) return <OwnerHome />;
  return me.may.includes("job.read") ? <UserHome /> : <FinanceHome />;
}
