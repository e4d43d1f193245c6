import type { Account, AccountEdit } from "@tessera/wire";
import { type FormEvent, useState } from "react";
import { Link } from "wouter";
import { useAct } from "../../api/use-call.ts";
import { Allowed } from "../../design/act.tsx";
import { Button, Card, Field, Notice, Time } from "../../design/parts.tsx";
import { above } from "../../design/why-not.ts";
import { count } from "../../format/numbers.ts";
import { spellAmounts } from "./amounts.ts";
import { EffectCard, usePreview } from "./effect-card.tsx";

/** `8` or `H100=8 A100=4` as an amount; undefined for anything else. */
export function readAmount(text: string): number | Record<string, number> | undefined {
  const plain = text.trim();
  if (plain === "") return 0;
  if (/^\d+(\.\d+)?$/.test(plain)) return Number(plain);
  const parts = plain.split(/[\s,]+/).map((part) => /^([\w.*-]+)[=:](\d+(?:\.\d+)?)$/.exec(part));
  if (parts.some((part) => part === null)) return undefined;
  return Object.fromEntries(parts.map((part) => [part![1]!, Number(part![2])]));
}

function writeAmount(amounts: Readonly<Record<string, number>> | undefined): string {
  if (amounts === undefined) return "";
  const models = Object.keys(amounts);
  if (models.length === 0) return "0";
  if (models.length === 1 && models[0] === "*") return String(amounts["*"]);
  return models.map((model) => `${model}=${amounts[model]}`).join(" ");
}

function byModel(amount: number | Record<string, number>): Record<string, number> {
  return typeof amount === "object" ? amount : amount === 0 ? {} : { "*": amount };
}

/** An account: its quota, and an edit of it that shows its effect before it is saved. */
export function EditPanel({ account }: { account: Account }) {
  const [guarantee, setGuarantee] = useState(writeAmount(account.guarantee));
  const [max, setMax] = useState(writeAmount(account.max));
  const [weight, setWeight] = useState(String(account.weight));
  const [until, setUntil] = useState("");
  const edit = useAct("editAccount", () => `${account.path} was changed.`);
  const amount = readAmount(guarantee);
  const most = max.trim() === "" ? undefined : readAmount(max);
  const badMax = max.trim() !== "" && most === undefined;
  const touched =
    guarantee !== writeAmount(account.guarantee) ||
    max !== writeAmount(account.max) ||
    weight !== String(account.weight);
  const body: AccountEdit | undefined =
    touched && amount !== undefined && !badMax
      ? { guarantee: amount, max: most ?? null, ...(until === "" && { weight: Number(weight) }) }
      : undefined;
  const preview = usePreview(account, body);
  const save = (event: FormEvent) => {
    event.preventDefault();
    const window =
      until === "" ? {} : { window: { from: new Date().toISOString(), to: new Date(until).toISOString() } };
    edit.mutate({ at: { account: account.path }, body: { ...body, ...window }, ifMatch: account.revision });
  };
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
            {spellAmounts(account.used.byModel)} ({account.used.borrowed} borrowed)
          </dd>
          <dt>Live</dt>
          <dd>
            <Link href={`/jobs?text=${account.path}`}>{count(account.liveJobs, "job")}</Link>
          </dd>
          <dt>Order of its jobs</dt>
          <dd>{account.order}</dd>
          <dt>Trust</dt>
          <dd>{account.trust}</dd>
        </dl>
        {(account.windows ?? []).map(({ from, to, state, quota }) => (
          <Notice key={from} kind="plain">
            For a while ({state}): {JSON.stringify(quota)}, <Time at={from} /> to <Time at={to} />
          </Notice>
        ))}
        <Allowed act="editAccount" of={account} at={above(account.path)}>
          <form className="stack tight" onSubmit={save}>
            <div className="fields">
              <Field
                label="Guarantee (GPUs)"
                hint="8, or H100=8 A100=4"
                wrong={amount === undefined ? "Not an amount" : undefined}
              >
                {(props) => (
                  <input
                    {...props}
                    className="input"
                    value={guarantee}
                    onChange={(event) => setGuarantee(event.target.value)}
                  />
                )}
              </Field>
              <Field label="At most" hint="empty: no limit" wrong={badMax ? "Not an amount" : undefined}>
                {(props) => (
                  <input {...props} className="input" value={max} onChange={(event) => setMax(event.target.value)} />
                )}
              </Field>
              <Field label="Weight" hint="of the surplus">
                {(props) => (
                  <input
                    {...props}
                    className="input"
                    inputMode="numeric"
                    value={weight}
                    onChange={(event) => setWeight(event.target.value)}
                  />
                )}
              </Field>
            </div>
            <Field label="Only until" hint="Empty: permanent. Otherwise the present quota returns by itself.">
              {(props) => (
                <input
                  {...props}
                  type="datetime-local"
                  className="input"
                  value={until}
                  onChange={(event) => setUntil(event.target.value)}
                />
              )}
            </Field>
            {body !== undefined && (
              <EffectCard
                account={account}
                guarantee={byModel(amount!)}
                max={most === undefined ? undefined : byModel(most)}
                preview={preview}
              />
            )}
            <div className="row">
              <Button data-act="editAccount" kind="primary" type="submit" disabled={!preview.ready || edit.isPending}>
                Save
              </Button>
            </div>
          </form>
        </Allowed>
      </div>
    </Card>
  );
}
