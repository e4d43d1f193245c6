import type { PriceBookShape } from "@tessera/wire";
import { type FormEvent, useId, useState } from "react";
import { call, wordsOf } from "../../api/call.ts";
import { refusedAt } from "../../api/refused-at.ts";
import { useTyped } from "../../api/seen-draft.ts";
import { useAct } from "../../api/use-call.ts";
import { ChangedMeanwhile } from "../../design/changed-meanwhile.tsx";
import { Confirm } from "../../design/confirm.tsx";
import { TextField, TimeField } from "../../design/inputs.tsx";
import { Button, Notice } from "../../design/parts.tsx";
import { pricedModel } from "../../format/model-words.ts";
import { readMoney, spellMoney } from "../../format/money.ts";
import { spellFull } from "../../format/times.ts";
import type { Column } from "../../table/column.ts";
import { Table } from "../../table/table.tsx";
import { priceChanges, pricesBody, priceTextsOf, ratesOf, textOf } from "./price-form.ts";

interface NewPricesProps {
  readonly book: PriceBookShape;
  /** Of the fleet. */
  readonly models: readonly string[];
}

/** A new list over the last one. What is not typed is as in the last list, also in one that others add meanwhile. */
export function NewPrices({ book: { versions, revision }, models }: NewPricesProps) {
  const last = versions.at(-1);
  const now = priceTextsOf(versions, models, Date.now());
  const { shown, seen, isStale, type, goOn, undo } = useTyped("price list", now, revision);
  const [effect, setEffect] = useState<string | undefined>();
  const [asking, setAsking] = useState(false);
  const add = useAct("addPrices", () => "The price list was added.");
  const { id = "", currency = "", from = "" } = shown;
  const isReadable = pricesBody(versions, models, shown, Date.now()) !== undefined;
  const change = (part: Readonly<Record<string, string>>) => {
    add.reset();
    setEffect(undefined);
    type(part);
  };
  const onGoOn = () => {
    add.reset();
    setEffect(undefined);
    goOn();
  };
  const preview = async () => {
    const body = pricesBody(versions, models, shown, Date.now());
    if (body === undefined) return;
    try {
      const { period, nowMicros, thenMicros, currency: in_ } = await call("previewPrices", { body });
      setEffect(
        `${period} would have come to ${spellMoney(thenMicros, in_)} instead of ${spellMoney(nowMicros, in_)}.`,
      );
    } catch (error) {
      setEffect(wordsOf(error));
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setAsking(true);
  };
  const send = () => {
    const body = pricesBody(versions, models, shown, Date.now());
    if (body !== undefined) add.mutate({ body, ifMatch: seen }, { onSuccess: undo, onSettled: () => setAsking(false) });
  };
  const priceColumn = (label: string, kind: Parameters<typeof textOf>[0]): Column<{ readonly model: string }> => ({
    label: `${label}, per hour`,
    show: ({ model }) => (
      <Amount
        label={`${label}, ${model}`}
        value={shown[textOf(kind, model)] ?? ""}
        currency={currency}
        on={(typed) => change({ [textOf(kind, model)]: typed })}
      />
    ),
  });
  const columns = [
    { label: "Model", show: ({ model }: { readonly model: string }) => pricedModel(model) },
    priceColumn("Guaranteed", "reservedMicros"),
    priceColumn("Burst", "burstMicros"),
  ];
  const rows = ratesOf(last, models);
  return (
    <>
      <form className="stack tight" onSubmit={submit}>
        <h3>New price list</h3>
        <div className="fields">
          <TextField
            label="Name"
            required
            value={id}
            wrong={refusedAt(add.error, "id")}
            onChange={(text) => change({ id: text })}
          />
          <TextField
            label="Currency"
            required
            pattern="[A-Z]{3}"
            value={currency}
            wrong={refusedAt(add.error, "currency")}
            onChange={(text) => change({ currency: text })}
          />
          <TimeField
            label="Applies from"
            hint={last !== undefined && Date.parse(last.from) > Date.now() ? `empty: right after ${last.id}` : soon}
            value={from}
            wrong={refusedAt(add.error, "from")}
            onChange={(at) => change({ from: at })}
          />
        </div>
        <Table label="New prices" items={rows} columns={columns} keyOf={({ model }) => model} />
        {effect !== undefined && <Notice>{effect}</Notice>}
        {isStale && (
          <ChangedMeanwhile onGoOn={onGoOn}>
            The price list {last?.id} was added by someone else while you typed. What you did not type is as in that
            list.
          </ChangedMeanwhile>
        )}
        <div className="row">
          <Button disabled={!isReadable} onClick={() => void preview()}>
            Try it on a month
          </Button>
          <Button kind="primary" type="submit" disabled={!isReadable || isStale || add.isPending || add.isError}>
            Add it
          </Button>
        </div>
      </form>
      {asking && !isStale && (
        <Asked
          {...{ versions, models, shown, effect }}
          busy={add.isPending}
          onAct={send}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}

const soon = "empty: in a minute";

interface AskedProps extends Pick<NewPricesProps, "models"> {
  readonly versions: PriceBookShape["versions"];
  readonly shown: Readonly<Record<string, string>>;
  readonly effect: string | undefined;
  readonly busy: boolean;
  readonly onAct: () => void;
  readonly onClose: () => void;
}

/** Names each price that changes before the list is added. */
function Asked({ versions, models, shown, effect, ...rest }: AskedProps) {
  const last = versions.at(-1);
  const list = pricesBody(versions, models, shown, Date.now());
  const changes = list === undefined ? [] : priceChanges(last, list);
  return (
    <Confirm title={`Add ${shown.id}?`} act="Add the price list" {...rest}>
      <p>
        It applies {shown.from ? `from ${spellFull(shown.from)}` : "in a minute"}, to every tenant that has no contract
        of its own.
      </p>
      {changes.length === 0 ? (
        <p>No price of a GPU changes.</p>
      ) : (
        <ul className="plain-list">
          {changes.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
      {last !== undefined && (
        <p>Prices of CPU, memory, storage and idle GPUs, credits and factors stay as in {last.id}.</p>
      )}
      <p>{effect ?? "It was not tried on a month."}</p>
    </Confirm>
  );
}

interface AmountProps {
  readonly label: string;
  readonly value: string;
  readonly currency: string;
  readonly on: (value: string) => void;
}

/** A price, with what it was read as below it. */
function Amount({ label, value, currency, on }: AmountProps) {
  const id = useId();
  const read = readMoney(value);
  const wrong = "wrong" in read;
  return (
    <>
      <input
        className="input"
        aria-label={label}
        aria-invalid={wrong}
        aria-describedby={id}
        inputMode="decimal"
        autoComplete="off"
        value={value}
        onChange={(event) => on(event.target.value)}
      />
      <div id={id} className={wrong ? "wrong-text small" : "quiet small"}>
        {wrong ? read.wrong : `= ${spellMoney(read.micros, currency)}`}
      </div>
    </>
  );
}
