import type { AuditEntry } from "@tessera/wire";
import { useMemo } from "react";
import { useLive } from "../../api/live.ts";
import { Card, Empty, Skeleton, Time } from "../../design/parts.tsx";
import { type Column, Rows } from "../../design/rows.tsx";
import { saveCsv } from "../../format/csv.ts";
import { spellNumber } from "../../format/numbers.ts";
import { useAddress } from "../../frame/address.ts";

const columns: readonly Column<AuditEntry>[] = [
  { label: "When", width: "110px", show: ({ at }) => <Time at={at} /> },
  { label: "Who", width: "minmax(0, 0.8fr)", show: ({ actorName, actor }) => actorName || actor },
  { label: "What", width: "minmax(0, 1fr)", show: ({ action }) => <strong>{action}</strong> },
  { label: "Target", width: "minmax(0, 1.2fr)", wide: true, show: ({ target }) => <code>{target}</code> },
  { label: "Account", width: "minmax(0, 1fr)", wide: true, show: ({ account }) => account || "the platform" },
  {
    label: "Outcome",
    width: "110px",
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

/** The audit log, newest first; every line is sealed in the journal's chain of hashes. */
export default function AuditPage() {
  const [params, set] = useAddress();
  const text = (params.get("text") ?? "").toLowerCase();
  const entries = useLive("listAudit", { limit: 1000 });
  const shown = useMemo(
    () =>
      [...(entries ?? [])]
        .filter((entry) => text === "" || Object.values(entry).join(" ").toLowerCase().includes(text))
        .sort((a, b) => (a.at < b.at ? 1 : -1)),
    [entries, text],
  );
  return (
    <div className="page">
      <div className="head">
        <div>
          <h1>Audit</h1>
          <p className="quiet small">
            Each change is written to a chain of hashes; <code>npx tess admin verify</code> checks it.
          </p>
        </div>
        <div className="row wrap">
          <input
            className="input"
            style={{ width: 240 }}
            aria-label="Filter by user, action or target"
            placeholder="User, action, target"
            value={text}
            onChange={(event) => set({ text: event.target.value })}
          />
          <button type="button" className="button" onClick={() => saveCsv("tessera-audit.csv", shown)}>
            Export CSV
          </button>
        </div>
      </div>
      <Card flush title={entries === undefined ? "Entries" : `${spellNumber(shown.length)} entries`}>
        {entries === undefined ? (
          <Skeleton lines={8} />
        ) : shown.length === 0 ? (
          <Empty title="No entry matches" command="npx tess audit" />
        ) : (
          <Rows
            label="Audit"
            items={shown}
            columns={columns}
            keyOf={(entry) => `${entry.at} ${entry.requestId} ${entry.action} ${entry.target}`}
            height="calc(100vh - 230px)"
          />
        )}
      </Card>
    </div>
  );
}
