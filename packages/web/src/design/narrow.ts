import { useSyncExternalStore } from "react";

// Paper is no phone, however narrow.
const narrow = matchMedia("screen and (max-width: 760px)");

function listen(listener: () => void): () => void {
  narrow.addEventListener("change", listener);
  return () => narrow.removeEventListener("change", listener);
}

/** Whether the window is as narrow as a phone; follows a window that is resized or turned. */
export function useNarrow(): boolean {
  return useSyncExternalStore(listen, () => narrow.matches);
}
