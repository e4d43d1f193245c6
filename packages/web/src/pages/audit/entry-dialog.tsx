import type { AuditEntry } from "@tessera/wire";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { wordsOf } from "../../api/call.ts";
import { Dialog } from "../../design/dialog.tsx";
import { Empty, Skeleton } from "../../design/parts.tsx";
import { spellNumber } from "../../format/numbers.ts";
import { inZone, spellFull } from "../../format/times.ts";
import { nodeAddress } from "../../frame/address.ts";
import { fieldsOf } from "./detail-words.ts";

interface EntryProps {
  /** Undefined until it is known; `null` where there is none that may be seen. */
  readonly entry: AuditEntry | null | undefined;
  /** Why it could not be read. */
  readonly error: Error | null;
  readonly onClose: () => void;
}

/** One entry of the audit with all that is known of it, and where the journal proves it. */
export function EntryDialog({ entry, error, onClose }: EntryProps) {
  return (
    <Dialog title={entry?.action ?? "Entry of the audit"} onClose={onClose} light>
      {entry === undefined && error !== null ? (
        <Empty title="Not available">{wordsOf(error)}</Empty>
      ) : entry === undefined ? (
        <Skeleton />
      ) : entry === null ? (
        <Empty title="There is no such entry">Or you may not see it.</Empty>
      ) : (
        <Facts entry={entry} />
      )}
    </Dialog>
  );
}

function Facts({ entry }: { entry: AuditEntry }) {
  const { id, at, actor, actorName, token, target, account, outcome, address, requestId, count = 1, detail } = entry;
  const [row] = id.split(".");
  return (
    <>
      <dl className="facts">
        <Fact name="When">
          <span style={{ whiteSpace: "pre-line" }}>{spellFull(at)}</span>
        </Fact>
        <Fact name="Who">
          {actor.startsWith("usr_") ? <Link href={`/people/${actor}`}>{actorName || actor}</Link> : actor}
        </Fact>
        {target !== "" && (
          <Fact name="On what">
            <Target entry={entry} />
          </Fact>
        )}
        <Fact name="Account">
          {account === "" ? "the platform" : <Link href={`/quota/${account}`}>{account}</Link>}
        </Fact>
        <Fact name="Outcome">{count > 1 ? `${outcome}, ${spellNumber(count)} times` : outcome}</Fact>
        {detail !== "" && (
          <Fact name="Detail">
            <Detail entry={entry} />
          </Fact>
        )}
        {address !== undefined && <Fact name="From">{address}</Fact>}
        {token !== undefined && (
          <Fact name="Token">
            <code>{token}</code>
          </Fact>
        )}
        {requestId !== "" && (
          <Fact name="Request">
            <code>{requestId}</code>
          </Fact>
        )}
        <Fact name="Proof">row {spellNumber(Number(row))} of the journal</Fact>
      </dl>
      <p className="quiet small">
        The row is sealed in the chain of hashes; <code>npx tess admin verify</code> checks that this entry is what it
        says.
      </p>
    </>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

/** Before and after, a field to a line; where the pointer rests, as the journal names it. */
function Detail({ entry }: { entry: AuditEntry }) {
  return (
    <ul className="plain-list">
      {fieldsOf(entry).map(({ raw, words }) => (
        <li key={raw} title={raw}>
          {inZone(words)}
        </li>
      ))}
    </ul>
  );
}

function Target({ entry }: { entry: AuditEntry }) {
  const { target, targetName = target } = entry;
  const href = hrefOf(entry);
  if (href === undefined) return <code>{target}</code>;
  return (
    <Link href={href} title={target}>
      {targetName}
    </Link>
  );
}

function hrefOf({ action, target }: AuditEntry): string | undefined {
  if (target.startsWith("job_")) return `/jobs/${target}`;
  if (target.startsWith("usr_")) return `/people/${target}`;
  if (/^node\.(?!register)/.test(action)) return nodeAddress(target);
  return /^(account|budget|contract|tenant)\./.test(action) ? `/quota/${target}` : undefined;
}
