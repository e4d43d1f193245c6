import type { AuditEntry, QueryOf } from "@tessera/wire";
import { useMemo } from "react";
import { useLive } from "../../api/live.ts";
import { useCall } from "../../api/use-call.ts";
import { usePages } from "../../api/use-pages.ts";
import { Empty, Time } from "../../design/parts.tsx";
import { count, spellNumber } from "../../format/numbers.ts";
import { inZone } from "../../format/times.ts";
import { useAccount } from "../../frame/account.ts";
import { useAddress } from "../../frame/address.ts";
import type { Column } from "../../table/column.ts";
import { useLook } from "../../table/look.tsx";
import { Paged, type PagedList } from "../../table/paged.tsx";
import { Views } from "../../table/views.tsx";
import { type AuditFilter, AuditFilters, filterNames, queryOf } from "./audit-filters.tsx";
import { detailWords } from "./detail-words.ts";
import { EntryDialog } from "./entry-dialog.tsx";
import { HistoryCard, HistoryChip } from "./history-card.tsx";
import { WholeCsv } from "./whole-csv.tsx";

const columns: readonly Column<AuditEntry>[] = [
  { label: "When", width: [90, 0.7], show: ({ at }) => <Time at={at} /> },
  { label: "Who", width: [90, 0.8], below: true, show: ({ actorName, actor }) => actorName || actor },
  { label: "What", width: [120, 1], show: ({ action }) => <strong>{action}</strong> },
  {
    label: "Target",
    width: [110, 1.2],
    below: true,
    show: ({ target, targetName }) => <span title={target}>{targetName ?? <code>{target}</code>}</span>,
  },
  { label: "Account", width: [100, 1], below: true, show: ({ account }) => account || "the platform" },
  {
    label: "Outcome",
    width: [70, 0.6],
    show: ({ outcome, count = 1 }) => (count > 1 ? `${outcome} × ${spellNumber(count)}` : outcome),
  },
  { label: "From", width: [90, 0.7], below: true, show: ({ address }) => address ?? "" },
  {
    label: "Detail",
    width: [140, 1.6],
    below: true,
    show: (entry) => <span title={inZone(entry.detail)}>{inZone(detailWords(entry))}</span>,
  },
];
const searchEveryMs = 30_000;
const liveMax = 200;

/** The audit log, newest first; every line is sealed in the journal's chain of hashes. */
export default function AuditPage() {
  const [params, set] = useAddress();
  const given = filterNames.flatMap((name) => {
    const value = params.get(name);
    return value ? [[name, value] as const] : [];
  });
  const values: AuditFilter = Object.fromEntries(given);
  const account = useAccount();
  const of = account === "" ? {} : { account };
  const opened = params.get("entry");
  return (
    <div className="page">
      <div className="head">
        <div>
          <h1>Audit</h1>
          <p className="quiet small row wrap">
            Each change is sealed in a chain of hashes. <HistoryChip />
          </p>
        </div>
        <AuditFilters values={values} onChange={set} />
      </div>
      <Views filters={filterNames} />
      {given.length === 0 ? <Newest of={of} /> : <Found query={{ ...queryOf(values), ...of }} />}
      <HistoryCard />
      {opened !== null && <Opened id={opened} onClose={() => set({ entry: undefined })} />}
    </div>
  );
}

/** The entry that the address names, however old it is. */
function Opened({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const { data, error } = useCall("listAudit", { query: { id } }, { mayFail: true });
  return <EntryDialog entry={data && (data.items[0] ?? null)} error={error} onClose={onClose} />;
}

/** What happens, as it happens; how much there is and what is older comes from pages. */
function Newest({ of }: { readonly of: QueryOf<"listAudit"> }) {
  const live = useLive("listAudit", { ...of, limit: liveMax });
  const pages = usePages("listAudit", { ...of, limit: liveMax, count: true }, searchEveryMs);
  const items = useMemo(() => live && merged(live, pages.items ?? []), [live, pages.items]);
  return <Entries list={{ ...pages, items }} query={of} />;
}

/** What is looked for, as far back as the history goes. */
function Found({ query }: { readonly query: QueryOf<"listAudit"> }) {
  const list = usePages("listAudit", { ...query, limit: 200, count: true }, searchEveryMs);
  return <Entries list={list} query={query} />;
}

const keyOf = ({ id }: AuditEntry) => id;

function merged(live: readonly AuditEntry[], read: readonly AuditEntry[]): AuditEntry[] {
  const all = new Map([...read, ...live].map((entry) => [keyOf(entry), entry]));
  return [...all.values()].sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0));
}

interface EntriesProps {
  readonly list: PagedList<AuditEntry>;
  readonly query: QueryOf<"listAudit">;
}

/** How many there are, where that is known: what has been read so far is no total. */
function titleOf({ items = [], total, isWhole }: PagedList<AuditEntry>): string {
  if (total !== undefined) return count(Math.max(total, items.length), "entry", "entries");
  return isWhole ? "Entries" : `${count(items.length, "entry", "entries")} so far, and more further back`;
}

function Entries({ list, query }: EntriesProps) {
  const [params] = useAddress();
  const { look, choice } = useLook(columns);
  const hrefOf = ({ id }: AuditEntry) => {
    const next = new URLSearchParams(params);
    next.set("entry", id);
    return `/audit?${next}`;
  };
  return (
    <Paged
      list={list}
      noun={["entry", "entries"]}
      title={titleOf(list)}
      filters={filterNames}
      beside={
        <span className="row wrap">
          {choice}
          <WholeCsv query={query} />
        </span>
      }
      empty={<Empty title="Nothing was done yet" command="npx tess audit" />}
      table={{
        label: "Audit",
        columns,
        look,
        keyOf,
        hrefOf,
        about: JSON.stringify(query),
        height: "calc(100vh - 270px)",
      }}
    />
  );
}
