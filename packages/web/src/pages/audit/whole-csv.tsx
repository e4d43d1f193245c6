import type { AuditEntry, QueryOf } from "@tessera/wire";
import { useRef, useState } from "react";
import { call, wordsOf } from "../../api/call.ts";
import { saveCsv } from "../../format/csv.ts";
import { count } from "../../format/numbers.ts";
import { toast } from "../../frame/toasts.tsx";

/** Saves every entry that matches, page by page to the end of the history; a click meanwhile gives up. */
export function WholeCsv({ query }: { readonly query: QueryOf<"listAudit"> }) {
  const [read, setRead] = useState<number>();
  const stop = useRef<AbortController>(null);
  const save = async () => {
    const asking = new AbortController();
    stop.current = asking;
    const entries: AuditEntry[] = [];
    setRead(0);
    try {
      for (let cursor: string | undefined, more = true; more; ) {
        const page = await call("listAudit", {
          query: { ...query, limit: 1000, ...(cursor !== undefined && { cursor }) },
          signal: asking.signal,
        });
        entries.push(...page.items);
        setRead(entries.length);
        cursor = page.next;
        more = cursor !== undefined;
      }
      saveCsv("tessera-audit.csv", entries);
      toast("good", `${count(entries.length, "entry", "entries")} saved.`);
    } catch (error) {
      if (!asking.signal.aborted) toast("bad", wordsOf(error));
    }
    setRead(undefined);
  };
  return (
    <button type="button" className="button" onClick={() => (read === undefined ? void save() : stop.current?.abort())}>
      {read === undefined ? "Export CSV" : `${count(read, "entry", "entries")} read; give up`}
    </button>
  );
}
