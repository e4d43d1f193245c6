import type { WhoAmI } from "@tessera/wire";
import { createContext, useContext } from "react";

export const MeContext = createContext<WhoAmI | undefined>(undefined);

/** Who is signed in; only below the frame, where somebody is. */
export function useMe(): WhoAmI {
  return useContext(MeContext)!;
}

/** Whether the signed-in user may do this anywhere at all; what is shown at all follows from it. */
export function useMay(): (action: string) => boolean {
  const { may } = useMe();
  return (action) => may.includes(action);
}

export function isOwner(me: WhoAmI): boolean {
  return me.bindings.some(({ role }) => role === "platform-owner");
}
