import type { AuditEntry, QueryOf } from "@tessera/wire";
import { useMemo } from "react";
import { wordsOf } from "../../api/call.ts";
import { useLive } from "../../api/live.ts";
import { useCall } from "../../api/use-call.ts";
import { usePages } from "../../api/use-pages.ts";
import { Card, Empty, Skeleton, Time } from "../../design/parts.tsx";
import { type Column, Rows } from "../../design/rows.tsx";
import { count, spellNumber } from "../../format/numbers.ts";
import { inZone } from "../../format/times.ts";
import { useAddress } from "../../frame/address.ts";
import { useTableLook } from "../../table/use-table-look.tsx";
import { Views } from "../../table/views.tsx";
import { type AuditFilter, AuditFilters, filterNames, queryOf } from "./audit-filters.tsx";
import { EntryDialog } from "./entry-dialog.tsx";
import { WholeCsv } from "./whole-csv.tsx";

const columns: readonly Column<AuditEntry>[] = [
  { label: "When", width: "minmax(64px, 0.7fr)", show: ({ at }) => <Time at={at} /> },
  { label: "Who", width: "minmax(0, 0.8fr)", show: ({ actorName, actor }) => actorName || actor },
  { label: "What", width: "minmax(0, 1fr)", show: ({ action }) => <strong>{action}</strong> },
  {
    label: "Target",
    width: "minmax(0, 1.2fr)",
    wide: true,
    show: ({ target, targetName }) => <span title={target}>{targetName ?? <code>{target}</code>}</span>,
  },
  { label: "Account", width: "minmax(0, 1fr)", wide: true, show: ({ account }) => account || "the platform" },
  {
    label: "Outcome",
    width: "minmax(56px, 0.6fr)",
    show: ({ outcome, count = 1 }) => (count > 1 ? `${outcome} × ${spellNumber(count)}` : outcome),
  },
  { label: "From", width: "minmax(0, 0.7fr)", wide: true, show: ({ address }) => address ?? "" },
  {
    label: "Detail",
    width: "minmax(0, 1.6fr)",
    wide: true,
    show: ({ detail }) => <span title={inZone(detail)}>{inZone(detail)}</span>,
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
  const opened = params.get("entry");
  return (
    <div className="page">
      <div className="head">
        <div>
          <h1>Audit</h1>
          <p className="quiet small">
            Each change is written to a chain of hashes; <code>npx tess admin verify</code> checks it.
          </p>
        </div>
        <AuditFilters values={values} onChange={set} />
      </div>
      <Views />
      {given.length === 0 ? <Newest /> : <Found filter={values} />}
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
function Newest() {
  const entries = useLive("listAudit", { limit: liveMax });
  const { total, items, more } = usePages("listAudit", { limit: liveMax, count: true }, searchEveryMs);
  const shown = useMemo(() => merged(entries ?? [], items ?? []), [entries, items]);
  return <Entries entries={entries && shown} total={total} query={{}} more={more} />;
}

/** What is looked for, as far back as the history goes. */
function Found({ filter }: { readonly filter: AuditFilter }) {
  const query = queryOf(filter);
  const { items, error, more, total } = usePages("listAudit", { ...query, limit: 200, count: true }, searchEveryMs);
  if (error !== null && items === undefined)
    return (
      <Empty title="Not available" command="npx tess audit --help">
        {wordsOf(error)}
      </Empty>
    );
  return <Entries entries={items} total={total} query={query} more={more} />;
}

const keyOf = ({ id }: AuditEntry) => id;

function merged(live: readonly AuditEntry[], read: readonly AuditEntry[]): AuditEntry[] {
  const all = new Map([...read, ...live].map((entry) => [keyOf(entry), entry]));
  return [...all.values()].sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0));
}

interface EntriesProps {
  readonly entries: readonly AuditEntry[] | undefined;
  readonly total: number | undefined;
  readonly query: QueryOf<"listAudit">;
  readonly more: (() => void) | undefined;
}

/** How many there are, where that is known: what has been read so far is no total. */
function titleOf(read: number, total: number | undefined, isMore: boolean): string {
  if (total !== undefined) return count(Math.max(total, read), "entry", "entries");
  return isMore ? `${count(read, "entry", "entries")} so far, and more further back` : "Entries";
}

function Entries({ entries, total, query, more }: EntriesProps) {
  const [params] = useAddress();
  const look = useTableLook(columns);
  const hrefOf = ({ id }: AuditEntry) => {
    const next = new URLSearchParams(params);
    next.set("entry", id);
    return `/audit?${next}`;
  };
  if (entries === undefined) return <Skeleton lines={8} />;
  return (
    <Card
      flush
      title={titleOf(entries.length, total, more !== undefined)}
      beside={
        <span className="row wrap">
          {look.choice}
          <WholeCsv query={query} />
        </span>
      }
    >
      {entries.length === 0 && more === undefined ? (
        <Empty title="No entry matches, as far back as the history goes" command="npx tess audit" />
      ) : (
        <Rows
          label="Audit"
          items={entries}
          columns={look.shown}
          tight={look.tight}
          keyOf={keyOf}
          hrefOf={hrefOf}
          height="calc(100vh - 270px)"
          onEnd={more}
        />
      )}
      {more !== undefined && (
        <button type="button" className="button" onClick={more}>
          Search further back
        </button>
      )}
    </Card>
  );
}
