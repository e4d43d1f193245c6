import type { WhoAmI } from "@tessera/wire";
import { createContext, useContext } from "react";

export const MeContext = createContext<WhoAmI | undefined>(undefined);

/** The signed-in user; only used inside the frame, where there is one. */
export function useMe(): WhoAmI {
  return useContext(MeContext)!;
}

/** Whether the signed-in user may do this anywhere at all; it decides which pages and buttons are shown. */
export function useMay(): (action: string) => boolean {
  const { may } = useMe();
  return (action) => may.includes(action);
}

export function isOwner(me: Pick<WhoAmI, "bindings">): boolean {
  return me.bindings.some(({ role }) => role === "platform-owner");
}
