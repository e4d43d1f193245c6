import type { AuditEntry } from "@tessera/wire";
import { useLive } from "../../api/live.ts";
import { usePages } from "../../api/use-pages.ts";
import { Card, Empty, Skeleton, Time } from "../../design/parts.tsx";
import { type Column, Rows } from "../../design/rows.tsx";
import { saveCsv } from "../../format/csv.ts";
import { spellNumber } from "../../format/numbers.ts";
import { useAddress } from "../../frame/address.ts";
import { type AuditFilter, AuditFilters, filterNames, queryOf } from "./audit-filters.tsx";

const columns: readonly Column<AuditEntry>[] = [
  { label: "When", width: "minmax(64px, 110px)", show: ({ at }) => <Time at={at} /> },
  { label: "Who", width: "minmax(0, 0.8fr)", show: ({ actorName, actor }) => actorName || actor },
  { label: "What", width: "minmax(0, 1fr)", show: ({ action }) => <strong>{action}</strong> },
  { label: "Target", width: "minmax(0, 1.2fr)", wide: true, show: ({ target }) => <code>{target}</code> },
  { label: "Account", width: "minmax(0, 1fr)", wide: true, show: ({ account }) => account || "the platform" },
  {
    label: "Outcome",
    width: "minmax(56px, 110px)",
    show: ({ outcome, count = 1 }) => (count > 1 ? `${outcome} × ${spellNumber(count)}` : outcome),
  },
  { label: "From", width: "minmax(0, 0.7fr)", wide: true, show: ({ address }) => address ?? "" },
  {
    label: "Detail",
    width: "minmax(0, 1.6fr)",
    wide: true,
    show: ({ detail }) => <span title={detail}>{detail}</span>,
  },
];
const searchEveryMs = 30_000;

/** The audit log, newest first; every line is sealed in the journal's chain of hashes. */
export default function AuditPage() {
  const [params, set] = useAddress();
  const given = filterNames.flatMap((name) => {
    const value = params.get(name);
    return value ? [[name, value] as const] : [];
  });
  const values: AuditFilter = Object.fromEntries(given);
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
      {given.length === 0 ? <Newest /> : <Found filter={values} />}
    </div>
  );
}

/** What happens, as it happens. */
function Newest() {
  const entries = useLive("listAudit", { limit: 1000 });
  return <Entries entries={entries && [...entries].sort((a, b) => (a.at < b.at ? 1 : -1))} />;
}

/** What is looked for, as far back as the history goes. */
function Found({ filter }: { readonly filter: AuditFilter }) {
  const { items, isError, more } = usePages("listAudit", { ...queryOf(filter), limit: 200 }, searchEveryMs);
  if (isError) return <Empty title="This cannot be looked for: check the times" command="npx tess audit --help" />;
  return (
    <>
      <Entries entries={items} />
      {more !== undefined && (
        <button type="button" className="button" onClick={more}>
          Search further back
        </button>
      )}
    </>
  );
}

function Entries({ entries }: { readonly entries: readonly AuditEntry[] | undefined }) {
  if (entries === undefined) return <Skeleton lines={8} />;
  return (
    <Card
      flush
      title={entries.length === 1 ? "1 entry" : `${spellNumber(entries.length)} entries`}
      beside={
        <button type="button" className="button" onClick={() => saveCsv("tessera-audit.csv", entries)}>
          Export CSV
        </button>
      }
    >
      {entries.length === 0 ? (
        <Empty title="No entry matches" command="npx tess audit" />
      ) : (
        <Rows
          label="Audit"
          items={entries}
          columns={columns}
          keyOf={(entry) => `${entry.at} ${entry.requestId} ${entry.action} ${entry.target} ${entry.detail}`}
          height="calc(100vh - 270px)"
        />
      )}
    </Card>
  );
}
