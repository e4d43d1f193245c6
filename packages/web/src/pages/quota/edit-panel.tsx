import type { Account } from "@tessera/wire";
import type { FormEvent } from "react";
import { Link } from "wouter";
import { useTyped } from "../../api/seen-draft.ts";
import { useAct } from "../../api/use-call.ts";
import { Allowed } from "../../design/act.tsx";
import { ChangedMeanwhile } from "../../design/changed-meanwhile.tsx";
import { TimeField } from "../../design/inputs.tsx";
import { MayLink } from "../../design/may-link.tsx";
import { Button, Card, Field, Notice } from "../../design/parts.tsx";
import { above } from "../../design/why-not.ts";
import { count, spellNumber } from "../../format/numbers.ts";
import { amountHint, byModel, spellAmounts } from "./amounts.ts";
import { EffectCard, usePreview } from "./effect-card.tsx";
import { spellWindow } from "./notes.ts";
import { editOf, quotaFields } from "./quota-edit.ts";

/** An account: its quota, and an edit of it that shows its effect before it is saved. */
export function EditPanel({ account }: { account: Account }) {
  return (
    <Card
      title={account.path}
      beside={
        <Link href="/quota" className="small">
          Close
        </Link>
      }
    >
      <div className="stack">
        <dl className="facts">
          <dt>Guarantee</dt>
          <dd>{spellAmounts(account.guarantee)}</dd>
          <dt>At most</dt>
          <dd>{spellAmounts(account.max)}</dd>
          <dt>Held now</dt>
          <dd>
            {spellAmounts(account.used.byModel)} ({spellNumber(account.used.borrowed)} borrowed)
          </dd>
          <dt>Live</dt>
          <dd>
            <MayLink needs="job.read" href={`/jobs?account=${account.path}`}>
              {count(account.liveJobs, "job")}
            </MayLink>
          </dd>
          <dt>Order of its jobs</dt>
          <dd>{account.order}</dd>
          <dt>Trust</dt>
          <dd>{account.trust}</dd>
        </dl>
        {(account.aboveMax ?? []).map((text) => (
          <Notice key={text} kind="warn">
            {text}.
          </Notice>
        ))}
        {(account.windows ?? []).map((window) => (
          <Notice key={window.from} kind="plain">
            For a while: {spellWindow(window)}
          </Notice>
        ))}
        <Allowed act="editAccount" of={account} at={above(account.path)}>
          <QuotaForm account={account} />
        </Allowed>
      </div>
    </Card>
  );
}

/** Only what is typed is changed; what someone else changes meanwhile is shown before it is written over. */
function QuotaForm({ account }: { account: Account }) {
  const fields = { ...quotaFields(account), overcommit: account.overcommit, until: "" };
  const { typed, shown, isTouched, isStale, seen, type, goOn, undo } = useTyped(
    `quota ${account.path}`,
    fields,
    account.revision,
  );
  const edit = useAct("editAccount", () => `${account.path} was changed.`);
  const { body, wrong } = editOf(account, typed);
  const preview = usePreview(account, body);
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (body === undefined) return;
    const window = shown.until === "" ? {} : { window: { from: new Date().toISOString(), to: shown.until } };
    edit.mutate({ at: { account: account.path }, body: { ...body, ...window }, ifMatch: seen }, { onSuccess: undo });
  };
  return (
    <form className="stack tight" onSubmit={save}>
      <div className="fields">
        <Field label="Guarantee (GPUs)" hint={amountHint} wrong={wrong.guarantee}>
          {(props) => (
            <input
              {...props}
              className="input"
              value={shown.guarantee}
              onChange={(event) => type({ guarantee: event.target.value })}
            />
          )}
        </Field>
        <Field label="At most" hint="empty: no limit" wrong={wrong.max}>
          {(props) => (
            <input
              {...props}
              className="input"
              value={shown.max}
              onChange={(event) => type({ max: event.target.value })}
            />
          )}
        </Field>
        <Field label="Weight" hint="of the surplus" wrong={wrong.weight}>
          {(props) => (
            <input
              {...props}
              className="input"
              inputMode="numeric"
              value={shown.weight}
              onChange={(event) => type({ weight: event.target.value })}
            />
          )}
        </Field>
      </div>
      <label className="row">
        <input
          type="checkbox"
          checked={shown.overcommit}
          onChange={(event) => type({ overcommit: event.target.checked })}
        />
        Overcommit: the accounts below may be guaranteed more than this one
      </label>
      {wrong.overcommit !== undefined && <span className="wrong">{wrong.overcommit}</span>}
      <TimeField
        label="Only until"
        hint="Empty: permanent. Otherwise the present quota returns by itself."
        value={shown.until}
        onChange={(until) => type({ until })}
      />
      {isStale && (
        <ChangedMeanwhile onGoOn={goOn}>
          The quota was changed by someone else while you typed: guarantee {spellAmounts(account.guarantee)}, at most{" "}
          {spellAmounts(account.max)}, weight {account.weight} now.
        </ChangedMeanwhile>
      )}
      {body !== undefined && (
        <EffectCard
          account={account}
          guarantee={body.guarantee === undefined ? account.guarantee : byModel(body.guarantee)}
          max={body.max === undefined ? account.max : body.max === null ? undefined : byModel(body.max)}
          preview={preview}
        />
      )}
      <div className="row">
        <Button
          data-act="editAccount"
          kind="primary"
          type="submit"
          disabled={!preview.ready || isStale || edit.isPending}
        >
          Save
        </Button>
        {isTouched && <Button onClick={undo}>Undo my changes</Button>}
      </div>
    </form>
  );
}
