import type { PriceBookShape, PricePut } from "@tessera/wire";
import { fallbackCurrency } from "@tessera/wire/money";
import { pricedModel } from "../../format/model-words.ts";
import { readMoney, spellMoney, writeMoney } from "../../format/money.ts";

type List = PriceBookShape["versions"][number];
type Rate = List["gpus"][number];

/** A new list as it is typed: its name, currency and beginning, and two prices of each model. */
export type PriceTexts = Readonly<Record<string, string>>;

const kinds = { reservedMicros: "guaranteed", burstMicros: "burst" } as const;
type Kind = keyof typeof kinds;
const kindsOf = Object.keys(kinds) as Kind[];

/** Where the price of a model stands among the texts. */
export function textOf(kind: Kind, model: string): string {
  return `${kind} ${model}`;
}

/** What stands in the form before anything is typed: the prices of the last list, under the first free name of the day. */
export function priceTextsOf(lists: readonly List[], models: readonly string[], now: number): PriceTexts {
  const last = lists.at(-1);
  const prices = ratesOf(last, models).flatMap((rate) =>
    kindsOf.map((kind) => [textOf(kind, rate.model), writeMoney(String(rate[kind]))] as const),
  );
  return {
    id: freeName(
      lists.map(({ id }) => id),
      now,
    ),
    currency: last?.currency ?? fallbackCurrency,
    from: "",
    ...Object.fromEntries(prices),
  };
}

/** The models of the list, those of the fleet that it does not name, and any other, each with its price. */
export function ratesOf(last: List | undefined, models: readonly string[]): Rate[] {
  const known = last?.gpus ?? [];
  const other = otherOf(known);
  const listed = known.filter(({ model }) => model !== "*");
  const isListed = (model: string) => listed.some((row) => model === row.model || model.startsWith(`${row.model}-`));
  const fresh = models.filter((model) => !isListed(model)).map((model) => ({ ...other, model }));
  return [...listed, ...fresh, other];
}

function otherOf(known: readonly Rate[]): Rate {
  return known.find(({ model }) => model === "*") ?? { model: "*", reservedMicros: 2_000_000, burstMicros: 1_000_000 };
}

function freeName(taken: readonly string[], now: number): string {
  const day = `list-${new Date(now).toISOString().slice(0, 10)}`;
  for (let no = 1; ; no++) {
    const name = no === 1 ? day : `${day}-${no}`;
    if (!taken.includes(name)) return name;
  }
}

/** A new list begins this much later: its beginning must not be in the past when the request arrives. */
const leadMs = 60_000;

/**
 * The list as the API takes it; undefined where a price cannot be read. What the form does not show is as in the last
 * list. One without a beginning applies as soon as it can.
 */
export function pricesBody(
  lists: readonly List[],
  models: readonly string[],
  texts: PriceTexts,
  now: number,
  locale?: string,
): PricePut | undefined {
  const last = lists.at(-1);
  const micros = (kind: Kind, model: string) => {
    const read = readMoney(texts[textOf(kind, model)] ?? "", locale);
    return "micros" in read ? Number(read.micros) : Number.NaN;
  };
  const gpus = ratesOf(last, models).map(({ model }) => ({
    ...{ model, reservedMicros: micros("reservedMicros", model), burstMicros: micros("burstMicros", model) },
  }));
  if (gpus.some(({ reservedMicros, burstMicros }) => Number.isNaN(reservedMicros + burstMicros))) return undefined;
  const soonest = Math.max(now, last === undefined ? 0 : Date.parse(last.from)) + leadMs;
  const { id = "", currency = "", from } = texts;
  return { ...last, id, currency, gpus, from: from || new Date(soonest).toISOString() };
}

/** The prices that the list changes, each as it was and as it would be. */
export function priceChanges(
  last: List | undefined,
  { gpus, currency }: Pick<PricePut, "gpus" | "currency">,
): string[] {
  const before = last?.gpus ?? [];
  return gpus.flatMap((rate) =>
    kindsOf.flatMap((kind) => {
      const was = before.find(({ model }) => model === rate.model) ?? before.find(({ model }) => model === "*");
      const old = was === undefined ? "no price" : spellMoney(String(was[kind]), last!.currency);
      const next = spellMoney(String(rate[kind]), currency);
      return old === next ? [] : [`${pricedModel(rate.model)}, ${kinds[kind]}: ${old} → ${next} an hour`];
    }),
  );
}
