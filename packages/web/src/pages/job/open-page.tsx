import type { Job } from "@tessera/wire";
import { useState } from "react";
import { call, wordsOf } from "../../api/call.ts";
import { Act } from "../../design/act.tsx";
import { toast } from "../../frame/toasts.tsx";
import { servesPage } from "./serves.ts";

/** Opens what the job serves in a tab of its own. Its address is another origin: the job's page sees nothing of ours. */
export function OpenPage({ job }: { job: Job }) {
  const [asking, setAsking] = useState(false);
  if (!servesPage(job)) return null;
  const open = async () => {
    // At once, while the browser still knows that a person asked for it.
    const tab = window.open("about:blank");
    if (tab !== null) tab.opener = null;
    setAsking(true);
    try {
      const { url } = await call("enterJob", { at: { job: job.id }, body: { how: "page" } });
      if (tab === null || url === undefined) toast("bad", "The browser does not let this page open another tab.");
      else tab.location.replace(url);
    } catch (error) {
      tab?.close();
      toast("bad", wordsOf(error));
    } finally {
      setAsking(false);
    }
  };
  return (
    <Act act="enterJob" of={job} at={job.project} onClick={() => void open()} disabled={asking}>
      Open
    </Act>
  );
}
