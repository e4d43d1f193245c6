import { openPrefix, useDraft } from "../api/draft.ts";
import { useAddress } from "./address.ts";

/**
 * Which dialog of a page is open, by what it is about. It is kept as drafts are: a session that ends takes the dialog
 * away, and the page shows it again afterwards, with what was typed. A link opens one with `?open=`, and `&of=` where it
 * is about something.
 */
export function useOpen(dialog: string): readonly [string | undefined, (about: string | undefined) => void] {
  const [kept, keep] = useDraft<string | undefined>(`${openPrefix}${dialog}`, undefined);
  const [params, set] = useAddress();
  const asked = params.get("open") === dialog ? (params.get("of") ?? "") : undefined;
  const open = (about: string | undefined) => {
    keep(about);
    if (asked !== undefined) set({ open: undefined, of: undefined });
  };
  return [kept ?? asked, open];
}
