import type { PriceBookShape } from "@tessera/wire";
import { type FormEvent, useState } from "react";
import { call, wordsOf } from "../../api/call.ts";
import { useMay } from "../../api/me.tsx";
import { useAct, useCall } from "../../api/use-call.ts";
import { Button, Card, Empty, Field, Notice, Skeleton, Time } from "../../design/parts.tsx";
import { count } from "../../format/numbers.ts";
import { readMoney, spellMoney } from "../cost/money.ts";

/** What an hour of each GPU costs, now and from when; a new list is tried on a month before it is added. */
export function PriceBook() {
  const may = useMay();
  const { data } = useCall("readPrices");
  if (data === undefined) return <Skeleton />;
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
        {may("price.write") && <NewList key={now?.id ?? ""} before={now} />}
      </div>
    </Card>
  );
}

type List = PriceBookShape["versions"][number];

function Rates({ list }: { list: List }) {
  const money = (micros: number) => spellMoney(String(micros), list.currency);
  return (
    <div className="table-box">
      <table className="table">
        <thead>
          <tr>
            <th>Model</th>
            <th className="number">Guaranteed, an hour</th>
            <th className="number">Burst, an hour</th>
          </tr>
        </thead>
        <tbody>
          {list.gpus.map(({ model, reservedMicros, burstMicros }) => (
            <tr key={model}>
              <td>{model === "*" ? "any other" : model}</td>
              <td className="number">{money(reservedMicros)}</td>
              <td className="number">{money(burstMicros)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The price of any GPU, guaranteed and burst; finer lists are written as files and added with the CLI. */
function NewList({ before }: { before: List | undefined }) {
  const [id, setId] = useState(`list-${new Date().toISOString().slice(0, 10)}`);
  const [currency, setCurrency] = useState(before?.currency ?? "EUR");
  const [reserved, setReserved] = useState("2");
  const [burst, setBurst] = useState("1");
  const [effect, setEffect] = useState<string | undefined>();
  const add = useAct("addPrices", () => "The price list was added.");
  const [reservedMicros, burstMicros] = [readMoney(reserved), readMoney(burst)];
  const list = () => ({
    id,
    currency,
    gpus: [{ model: "*", reservedMicros: Number(reservedMicros), burstMicros: Number(burstMicros) }],
    from: new Date(Date.now() + 60_000).toISOString(),
  });
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
    add.mutate({ body: list() });
  };
  const wrong = reservedMicros === undefined || burstMicros === undefined;
  return (
    <form className="stack tight" onSubmit={submit}>
      <h3>A new list, one price for every model</h3>
      <div className="fields">
        <Field label="Name">
          {(props) => (
            <input {...props} className="input" required value={id} onChange={(event) => setId(event.target.value)} />
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
              onChange={(event) => setCurrency(event.target.value)}
            />
          )}
        </Field>
        <Field label="Guaranteed, an hour" wrong={reservedMicros === undefined ? "Not an amount" : undefined}>
          {(props) => (
            <input
              {...props}
              className="input"
              inputMode="decimal"
              value={reserved}
              onChange={(event) => setReserved(event.target.value)}
            />
          )}
        </Field>
        <Field label="Burst, an hour" wrong={burstMicros === undefined ? "Not an amount" : undefined}>
          {(props) => (
            <input
              {...props}
              className="input"
              inputMode="decimal"
              value={burst}
              onChange={(event) => setBurst(event.target.value)}
            />
          )}
        </Field>
      </div>
      {effect !== undefined && <Notice>{effect}</Notice>}
      <div className="row">
        <Button disabled={wrong} onClick={() => void preview()}>
          Try it on a month
        </Button>
        <Button kind="primary" type="submit" disabled={wrong || add.isPending}>
          Add it
        </Button>
      </div>
    </form>
  );
}
