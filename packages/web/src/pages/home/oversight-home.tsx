import type { AnswerOf, AuditEntry } from "@tessera/wire";
import { Link } from "wouter";
import { useCall } from "../../api/use-call.ts";
import { Card, Empty, Figure, Skeleton, Time } from "../../design/parts.tsx";
import { count, spellNumber } from "../../format/numbers.ts";
import { inZone, spellDate } from "../../format/times.ts";
import { instantOf, zoneName } from "../../format/zone.ts";
import { useAccount } from "../../frame/account.ts";
import { useCarried } from "../../frame/carried.ts";
import { detailWords } from "../audit/detail-words.ts";
import { HistoryCard } from "../audit/history-card.tsx";
import { Anchors } from "../settings/anchors.tsx";

const days = 7;
const shownMax = 12;
/** Of these it is told by how many people they were. */
const readMax = 200;

type Page = AnswerOf<"listAudit">;

/** What was done with special rights in the last days, who was refused at the door, and whether the history holds. */
export default function OversightHome() {
  const account = useAccount();
  // Whole days, today among them, so that a link leads to what its figure counts.
  const since = spellDate(new Date(Date.now() - (days - 1) * 86_400_000).toISOString(), zoneName());
  const from = instantOf(`${since}T00:00`)!;
  const every = { everyMs: 15_000 };
  const counted = { from, limit: shownMax, count: true, ...(account !== "" && { account }) } as const;
  const done = useCall("listAudit", { query: { ...counted, privileged: true, limit: readMax } }, every).data;
  const passwords = useCall("listAudit", { query: { ...counted, action: "session.fail" } }, every).data;
  const factors = useCall("listAudit", { query: { ...counted, action: "factor.fail" } }, every).data;
  const carried = useCarried();
  const refused = useCall("listAudit", { query: { ...counted, refusal: "forbidden" } }, every).data;
  if (done === undefined || passwords === undefined || factors === undefined || refused === undefined) {
    return (
      <div className="page">
        <h1>Oversight</h1>
        <Skeleton lines={8} />
      </div>
    );
  }
  const privileged = done.items;
  const people = new Set(privileged.map(({ actor }) => actor)).size;
  const signIns = [...passwords.items, ...factors.items].sort((a, b) => (a.at < b.at ? 1 : -1));
  const inAudit = (filter: string) => carried(`/audit?${filter}&from=${since}`);
  return (
    <div className="page">
      <div className="head">
        <h1>{account === "" ? "Oversight" : `Oversight of ${account}`}</h1>
      </div>
      <div className="grid">
        <div className="span-4">
          <Figure
            label={`Privileged actions in ${days} days`}
            value={totalOf(done)}
            beside={`${done.next === undefined ? "" : `the newest ${readMax} `}by ${count(people, "person", "people")}`}
          />
        </div>
        <div className="span-4">
          <Figure
            label={`Failed sign-ins in ${days} days`}
            value={totalOf(passwords, factors)}
            beside="wrong passwords, codes and passkeys"
          />
        </div>
        <div className="span-4">
          <Figure
            label={`Refused in ${days} days`}
            value={totalOf(refused)}
            beside={<Link href={inAudit("refusal=forbidden")}>requests that no role allows</Link>}
          />
        </div>
      </div>
      <Card title="Privileged actions" beside={<Link href={inAudit("privileged=yes")}>All in the audit</Link>}>
        <Entries entries={privileged} none="No special rights were used in these days." />
      </Card>
      <div className="grid">
        <Card
          title="Failed sign-ins"
          className="span-6"
          beside={<Link href={inAudit("outcome=failed")}>All failures in the audit</Link>}
        >
          <Entries entries={signIns} none="No sign-in failed in these days." />
        </Card>
        <HistoryCard className="span-6" />
      </div>
      <Anchors />
    </div>
  );
}

/** How many entries there are; where they are too many to be counted, at least how many. */
function totalOf(...pages: readonly Page[]): string {
  const many = pages.reduce((sum, { total, items }) => sum + (total ?? items.length), 0);
  return pages.some(({ total }) => total === undefined) ? `more than ${spellNumber(many)}` : spellNumber(many);
}

function Entries({ entries, none }: { entries: readonly AuditEntry[]; none: string }) {
  if (entries.length === 0) return <Empty title={none} />;
  return (
    <ul className="list">
      {entries.slice(0, shownMax).map((entry) => (
        <li key={entry.id}>
          <span className="quiet small" style={{ width: 90 }}>
            <Time at={entry.at} />
          </span>
          <strong className="nowrap">{entry.action}</strong>
          <Link href={`/audit?entry=${entry.id}`} className="cut">
            {entry.targetName ?? (entry.target || "open")}
          </Link>
          <span className="cut quiet small" style={{ flex: 1 }} title={inZone(entry.detail)}>
            {inZone(detailWords(entry))}
          </span>
          <span className="quiet small cut">{entry.actorName || entry.actor || entry.address}</span>
          {(entry.count ?? 1) > 1 && <span className="small nowrap">× {spellNumber(entry.count!)}</span>}
        </li>
      ))}
    </ul>
  );
}
