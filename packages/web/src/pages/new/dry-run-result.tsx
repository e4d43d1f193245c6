import type { DryRun, Estimate } from "@tessera/wire";
import { type Refused, wordsOf } from "../../api/call.ts";
import { Chip, ReasonChip } from "../../design/chip.tsx";
import { Button, Card, Notice, Skeleton } from "../../design/parts.tsx";
import { spellMoney } from "../../format/money.ts";
import { count, spellGpus } from "../../format/numbers.ts";
import { inZone, spellStart } from "../../format/times.ts";
import { spellChange, spellEffect } from "../job/why.ts";

interface Props {
  readonly outcome:
    | { readonly answer: DryRun; readonly estimate?: Estimate }
    | { readonly refused: Refused }
    | undefined;
  /** Why it cannot be tried. */
  readonly fault: string | undefined;
  /** Makes a job file of a file of another program; absent where it is none. */
  readonly onTranslate: (() => void) | undefined;
  readonly onUse: (field: string, value: unknown) => void;
}

/** The result of the dry run: where and when the job would start. */
export function DryRunResult({ outcome, fault, onTranslate, onUse }: Props) {
  if (fault !== undefined)
    return (
      <Notice kind="bad" action={onTranslate && <Button onClick={onTranslate}>Make it a job file</Button>}>
        {fault}
      </Notice>
    );
  if (outcome === undefined) {
    return (
      <Card title="If you submit it now">
        <Skeleton lines={2} />
      </Card>
    );
  }
  if ("refused" in outcome) return <Notice kind="bad">{wordsOf(outcome.refused)}</Notice>;
  const { answer, estimate } = outcome;
  const nodes = [...new Set(answer.members.map(({ node }) => node))];
  return (
    <Card
      title={answer.wouldStart ? "It would start now" : "It would wait"}
      beside={answer.class && <Chip tone={answer.class}>{answer.class}</Chip>}
    >
      <div className="stack tight">
        {nodes.length > 0 && (
          <p>
            {count(answer.members.length, "member")} on{" "}
            {nodes.length > 4 ? count(nodes.length, "node") : nodes.join(", ")}
          </p>
        )}
        {answer.reason !== undefined && (
          <p className="row wrap">
            <ReasonChip reason={answer.reason} /> {inZone(answer.reason.detail)}
          </p>
        )}
        {estimate !== undefined && (
          <p>
            {spellMoney(estimate.perHourMicros, estimate.currency)} an hour
            {estimate.totalMicros !== undefined &&
              `, at most ${spellMoney(estimate.totalMicros, estimate.currency)} in its time limit`}
          </p>
        )}
        {!answer.wouldStart && <p className="quiet">{spellStart(answer.start)}</p>}
        {answer.displaces !== undefined && answer.displaces.jobs + answer.displaces.members > 0 && (
          <p className="quiet">
            {count(answer.displaces.jobs, "job")} on {spellGpus(answer.displaces.gpus)} would have to leave within{" "}
            {answer.displaces.within}.
          </p>
        )}
        {(answer.alternatives ?? []).slice(0, 4).map(({ change, ...each }) => (
          <div key={spellChange(change)} className="row apart">
            <span>
              <strong>{spellChange(change)}</strong>: {spellEffect(each, answer.start)}
            </span>
            <Button small onClick={() => onUse(change.field, change.to)}>
              Use
            </Button>
          </div>
        ))}
      </div>
    </Card>
  );
}
