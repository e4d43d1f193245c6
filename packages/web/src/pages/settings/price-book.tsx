import type { PriceBookShape } from "@tessera/wire";
import { fallbackCurrency } from "@tessera/wire/money";
import { type FormEvent, useId, useState } from "react";
import { call, wordsOf } from "../../api/call.ts";
import { useDraft } from "../../api/draft.ts";
import { useAct, useCall } from "../../api/use-call.ts";
import { Confirm } from "../../design/confirm.tsx";
import { mayDo } from "../../design/may-do.ts";
import { Button, Card, Empty, Field, Notice, Skeleton, Time } from "../../design/parts.tsx";
import { readMoney, spellMoney, writeMoney } from "../../format/money.ts";
import { count } from "../../format/numbers.ts";
import type { Column } from "../../table/column.ts";
import { Table } from "../../table/table.tsx";

/** What an hour of each GPU costs, now and from when; a new list is tried on a month before it is added. */
export function PriceBook() {
  const { data } = useCall("readPrices");
  const adds = data !== undefined && mayDo("addPrices", data);
  const fleet = useCall("readSummary", {}, { on: adds }).data?.fleet;
  if (data === undefined) return <Skeleton />;
  const models = fleet?.byModel.map(({ model }) => model);
  const now = data.versions.at(-1);
  return (
    <Card
      title="Price book"
      beside={
        now !== undefined && (
          <span className="quiet small">
            {count(data.versions.length, "list")}, the last from <Time at={now.from} />
          </span>
        )
      }
    >
      <div className="stack">
        {now === undefined ? (
          <Empty title="There are no prices yet" command="npx tess price --help" />
        ) : (
          <Rates list={now} />
        )}
        {adds && models !== undefined && <NewList key={now?.id ?? ""} before={now} models={models} />}
      </div>
    </Card>
  );
}

type List = PriceBookShape["versions"][number];
type Rate = List["gpus"][number];

function Rates({ list }: { list: List }) {
  const money = (micros: number) => spellMoney(String(micros), list.currency);
  const columns: readonly Column<Rate>[] = [
    { label: "Model", show: ({ model }) => modelWord(model) },
    { label: "Guaranteed, per hour", number: true, show: ({ reservedMicros }) => money(reservedMicros) },
    { label: "Burst, per hour", number: true, show: ({ burstMicros }) => money(burstMicros) },
  ];
  return <Table label="Prices" items={list.gpus} columns={columns} keyOf={({ model }) => model} />;
}

function modelWord(model: string): string {
  return model === "*" ? "any other" : model;
}

interface Row {
  readonly model: string;
  readonly reserved: string;
  readonly burst: string;
}

/** A row for each model of the last list and of the fleet; `*` is any other. */
function rowsOf(before: List | undefined, models: readonly string[]): Row[] {
  const amount = (micros: number) => writeMoney(String(micros));
  const known = (before?.gpus ?? []).map(({ model, reservedMicros, burstMicros }) => ({
    ...{ model, reserved: amount(reservedMicros), burst: amount(burstMicros) },
  }));
  const other = known.find(({ model }) => model === "*") ?? { model: "*", reserved: "2", burst: "1" };
  const listed = known.filter(({ model }) => model !== "*");
  const isListed = (model: string) => listed.some((row) => model === row.model || model.startsWith(`${row.model}-`));
  const fresh = models.filter((model) => !isListed(model)).map((model) => ({ ...other, model }));
  return [...listed, ...fresh, other];
}

/** A new list begins this much later: its beginning must not be in the past when the request arrives. */
const leadMs = 60_000;

/** A new list with a price for each model; fields that the form does not show are copied from the list before. */
function NewList({ before, models }: { before: List | undefined; models: readonly string[] }) {
  const [draft, setDraft, drop] = useDraft(`price list after ${before?.id ?? ""}`, {
    id: `list-${new Date().toISOString().slice(0, 10)}`,
    currency: before?.currency ?? fallbackCurrency,
    rows: rowsOf(before, models),
  });
  const { id, currency, rows } = draft;
  const [effect, setEffect] = useState<string | undefined>();
  const [asking, setAsking] = useState(false);
  const add = useAct("addPrices", () => "The price list was added.");
  const type = (part: Partial<typeof draft>) => {
    setEffect(undefined);
    setDraft({ ...draft, ...part });
  };
  const priceColumn = (label: string, field: "reserved" | "burst"): Column<Row> => ({
    label: `${label}, per hour`,
    show: ({ model, [field]: value }) => (
      <Amount
        label={`${label}, ${model}`}
        value={value}
        currency={currency}
        on={(typed) => type({ rows: rows.map((row) => (row.model === model ? { ...row, [field]: typed } : row)) })}
      />
    ),
  });
  const columns: readonly Column<Row>[] = [
    { label: "Model", show: ({ model }) => modelWord(model) },
    priceColumn("Guaranteed", "reserved"),
    priceColumn("Burst", "burst"),
  ];
  const gpus = rows.map(({ model, reserved, burst }) => ({
    ...{ model, reservedMicros: microsOf(reserved), burstMicros: microsOf(burst) },
  }));
  const wrong = gpus.some((rate) => rate.reservedMicros === undefined || rate.burstMicros === undefined);
  const list = () => {
    const { from: _from, ...kept } = before ?? { from: "" };
    return {
      ...kept,
      ...{ id, currency },
      gpus: gpus.map(({ model, reservedMicros, burstMicros }) => ({
        ...{ model, reservedMicros: Number(reservedMicros), burstMicros: Number(burstMicros) },
      })),
      from: new Date(Date.now() + leadMs).toISOString(),
    };
  };
  const preview = async () => {
    try {
      const { period, nowMicros, thenMicros, currency: in_ } = await call("previewPrices", { body: list() });
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
  return (
    <form className="stack tight" onSubmit={submit}>
      <h3>New price list</h3>
      <div className="fields">
        <Field label="Name">
          {(props) => (
            <input
              {...props}
              className="input"
              required
              value={id}
              onChange={(event) => type({ id: event.target.value })}
            />
          )}
        </Field>
        <Field label="Currency">
          {(props) => (
            <input
              {...props}
              className="input"
              required
              pattern="[A-Z]{3}"
              value={currency}
              onChange={(event) => type({ currency: event.target.value })}
            />
          )}
        </Field>
      </div>
      <Table label="New prices" items={rows} columns={columns} keyOf={({ model }) => model} />
      {effect !== undefined && <Notice>{effect}</Notice>}
      <div className="row">
        <Button disabled={wrong} onClick={() => void preview()}>
          Try it on a month
        </Button>
        <Button kind="primary" type="submit" disabled={wrong || add.isPending}>
          Add it
        </Button>
      </div>
      {asking && (
        <Confirm
          title={`Add ${id}?`}
          act="Add the price list"
          busy={add.isPending}
          onAct={() => add.mutate({ body: list() }, { onSuccess: drop, onSettled: () => setAsking(false) })}
          onClose={() => setAsking(false)}
        >
          <p>It applies in a minute, to every tenant that has no contract of its own.</p>
          <p>{effect ?? "It was not tried on a month."}</p>
        </Confirm>
      )}
    </form>
  );
}

function microsOf(text: string): string | undefined {
  const read = readMoney(text);
  return "micros" in read ? read.micros : undefined;
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
