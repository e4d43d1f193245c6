import { wordsOf } from "../../api/call.ts";
import { Card } from "../../design/parts.tsx";
import { count, spellGpus } from "../../format/numbers.ts";
import { inZone } from "../../format/times.ts";
import type { Document } from "./job-file.ts";
import { type Outcome, triedMax } from "./use-dry-runs.ts";

interface DocumentsProps {
  readonly documents: readonly Document[];
  readonly outcomes: readonly (Outcome | undefined)[];
  /** Of those that are not to be submitted, their place in the text. */
  readonly left: ReadonlySet<number>;
  readonly onLeave: (left: ReadonlySet<number>) => void;
}

/** Each job of a text that holds several: where it begins, what would become of it, and whether it is submitted. */
export function Documents({ documents, outcomes, left, onLeave }: DocumentsProps) {
  const toggle = (at: number) => {
    const next = new Set(left);
    if (!next.delete(at)) next.add(at);
    onLeave(next);
  };
  return (
    <Card title={`${count(documents.length, "job")} in this file`} flush>
      <ul className="documents">
        {documents.map((document, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two documents can have the same text; only their place tells them apart
          <li key={at} className="row wrap">
            <label className="row">
              <input type="checkbox" checked={!left.has(at)} onChange={() => toggle(at)} />
              <strong>
                {at + 1}. {document.name}
              </strong>
            </label>
            <span className="quiet small">line {document.before + 1}</span>
            <Said document={document} outcome={outcomes[at]} tried={at < triedMax} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Said({ document, outcome, tried }: { document: Document; outcome: Outcome | undefined; tried: boolean }) {
  if (document.fault !== undefined)
    return (
      <span className="wrong-text small">
        Line {document.fault.line}: {document.fault.message}
      </span>
    );
  if (!tried) return <span className="quiet small">not tried: only the first {triedMax} are</span>;
  if (outcome === undefined) return <span className="quiet small">trying …</span>;
  if ("refused" in outcome) return <span className="wrong-text small">{wordsOf(outcome.refused)}</span>;
  const { answer } = outcome;
  const gpus = spellGpus(answer.members.reduce((sum, member) => sum + member.gpus, 0));
  return (
    <span className="small">
      {answer.wouldStart
        ? `would start now on ${gpus}`
        : `would wait: ${inZone(answer.reason?.detail ?? "it is not known why")}`}
    </span>
  );
}
