import { useSyncExternalStore } from "react";
import { useConnection } from "./connection.ts";

function listen(listener: () => void): () => void {
  document.addEventListener("visibilitychange", listener);
  return () => document.removeEventListener("visibilitychange", listener);
}

/** Whether this window is in sight and the server answers it: only then is anything followed. */
export function useLooking(): boolean {
  const isHidden = useSyncExternalStore(listen, () => document.hidden);
  return useConnection().live && !isHidden;
}
