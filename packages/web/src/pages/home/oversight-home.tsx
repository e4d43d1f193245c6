import type { AuditEntry } from "@tessera/wire";
import { Link } from "wouter";
import { lastCheck, useHistoryFault } from "../../api/heads.ts";
import { useMay } from "../../api/me.tsx";
import { useCall } from "../../api/use-call.ts";
import { Chip } from "../../design/chip.tsx";
import { Card, Empty, Figure, Skeleton, Time } from "../../design/parts.tsx";
import { count, spellNumber } from "../../format/numbers.ts";
import { Anchors } from "../settings/anchors.tsx";

const days = 7;
const readMax = 200;
const shownMax = 12;

/** What was done with special rights in the last days, who was refused at the door, and whether the history holds. */
export default function OversightHome() {
  const from = `${days}d`;
  const every = { everyMs: 15_000 };
  const done = useCall("listAudit", { query: { from, privileged: true, limit: readMax } }, every).data;
  const failed = useCall("listAudit", { query: { from, outcome: "failed", limit: readMax } }, every).data;
  const refused = useCall("listAudit", { query: { from, outcome: "refused", limit: readMax } }, every).data;
  if (done === undefined || failed === undefined || refused === undefined) {
    return (
      <div className="page">
        <h1>Oversight</h1>
        <Skeleton lines={8} />
      </div>
    );
  }
  const privileged = done.items;
  const signIns = failed.items.filter(({ action }) => /^(session|factor)\.fail$/.test(action));
  const others = refused.items;
  const upTo = (page: { next?: string }) => (page.next === undefined ? "" : ", and more before");
  const times = (entries: readonly AuditEntry[]) => entries.reduce((sum, { count: many = 1 }) => sum + many, 0);
  return (
    <div className="page">
      <div className="head">
        <h1>Oversight</h1>
      </div>
      <div className="grid">
        <div className="span-4">
          <Figure
            label={`Privileged actions in ${days} days`}
            value={spellNumber(times(privileged))}
            beside={`by ${count(new Set(privileged.map(({ actor }) => actor)).size, "person", "people")}${upTo(done)}`}
          />
        </div>
        <div className="span-4">
          <Figure
            label={`Failed sign-ins in ${days} days`}
            value={spellNumber(times(signIns))}
            beside={`from ${count(new Set(signIns.map(({ address }) => address)).size, "address", "addresses")}${upTo(failed)}`}
          />
        </div>
        <div className="span-4">
          <Figure
            label={`Other refusals in ${days} days`}
            value={spellNumber(times(others))}
            beside={`things that roles do not allow${upTo(refused)}`}
          />
        </div>
      </div>
      <Card title="Privileged actions" beside={<Link href="/audit">Audit</Link>}>
        <Entries entries={privileged} none="Nobody used special rights in these days." />
      </Card>
      <div className="grid">
        <Card
          title="Failed sign-ins"
          className="span-6"
          beside={<Link href="/audit?outcome=failed">Audit of failures</Link>}
        >
          <Entries entries={signIns} none="Nobody was refused at the door." />
        </Card>
        <History />
      </div>
      <Anchors />
    </div>
  );
}

function Entries({ entries, none }: { entries: readonly AuditEntry[]; none: string }) {
  if (entries.length === 0) return <Empty title={none} />;
  return (
    <ul className="list">
      {entries.slice(0, shownMax).map((entry) => (
        <li key={`${entry.at} ${entry.requestId} ${entry.action} ${entry.target}`}>
          <span className="quiet small" style={{ width: 90 }}>
            <Time at={entry.at} />
          </span>
          <strong className="nowrap">{entry.action}</strong>
          <span className="cut">{entry.target}</span>
          <span className="cut quiet small" style={{ flex: 1 }}>
            {entry.detail}
          </span>
          <span className="quiet small cut">{entry.actorName || entry.actor || entry.address}</span>
          {(entry.count ?? 1) > 1 && <span className="small nowrap">× {spellNumber(entry.count!)}</span>}
        </li>
      ))}
      {entries.length > shownMax && (
        <li>
          <Link href="/audit">and {spellNumber(entries.length - shownMax)} more</Link>
        </li>
      )}
    </ul>
  );
}

/** The signed head of the history, and what this browser has checked of it. */
function History() {
  const may = useMay();
  const { data: head } = useCall("getHead", {}, { everyMs: 30_000 });
  const fault = useHistoryFault();
  const checked = lastCheck();
  return (
    <Card title="The history" className="span-6">
      {head === undefined ? (
        <Skeleton />
      ) : (
        <div className="stack tight">
          <div className="row wrap">
            <Chip
              tone={fault ? "down" : checked ? "healthy" : "unknown"}
              shape={fault ? "cross" : checked ? "square" : "ring"}
            >
              {fault
                ? "does not continue what was seen before"
                : checked
                  ? "continues what was seen before"
                  : "not compared yet"}
            </Chip>
          </div>
          <dl className="facts">
            <dt>Head</dt>
            <dd>
              row {spellNumber(head.row)}, signed <Time at={head.at} />
              <br />
              <code className="small cut">{head.hash}</code>
            </dd>
            <dt>Compared</dt>
            <dd>
              {checked === undefined ? (
                "this browser remembers no head yet"
              ) : (
                <>
                  by this browser up to row {spellNumber(checked.row)}, <Time at={checked.at} />
                </>
              )}
            </dd>
            {!may("policy.write") && (
              <>
                <dt>Anchors</dt>
                <dd>the platform owner sees where heads are kept outside; ask for one to compare with</dd>
              </>
            )}
          </dl>
          <p className="quiet small">
            The whole history is checked on the server's machine with <code>npx tess admin verify</code>.
          </p>
        </div>
      )}
    </Card>
  );
}
