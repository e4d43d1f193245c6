import type { BillingShape, BodyOf } from "@tessera/wire";
import { moneyText } from "@tessera/wire/money";
import { type Command, Option } from "commander";
import { usageFailure } from "../../failure.ts";
import { examples } from "../../help.ts";
import type { Column } from "../../output/column.ts";
import { emitList, emitObject } from "../../output/emit.ts";
import { parseMoney } from "../../output/money.ts";
import type { Session } from "../../session.ts";
import { addListFlags, type ListFlags } from "../../verbs/list.ts";

interface SetFlags {
  readonly mode?: BillingShape["mode"];
  readonly creditLimit?: string;
}

export function define(command: Command, session: Session): void {
  examples(command.description("Shows and sets how tenants are billed, and how much they may owe."), [
    "tess billing get",
    "tess billing set lab --mode showback",
    "tess billing set lab --credit-limit 5000",
  ]);

  const get = command
    .command("get")
    .summary("list tenants with what they owe")
    .description("Lists tenants with how they are billed, what they owe and what credit is left.")
    .argument("[account]", "only this tenant");
  addListFlags(get);
  examples(get, ["tess billing get", "tess billing get lab -o json"]);
  get.action(async (account: string | undefined, flags: ListFlags) => {
    const query = account === undefined ? {} : { account };
    const page = await (await session.api()).call("listBilling", { query });
    await emitList(session, page, { columns, nameOf: ({ tenant }) => tenant }, flags);
  });

  const set = command
    .command("set")
    .summary("charge a tenant, or only show it what it costs")
    .description("Sets whether a tenant owes what it uses or is only shown it, and how much it may owe.")
    .argument("<account>", "the tenant")
    .addOption(new Option("--mode <mode>", "owes it, or is only shown it").choices(["chargeback", "showback"]))
    .option("--credit-limit <amount>", "stop burst work when it owes this much; 0 = paid in advance, none = no limit");
  examples(set, [
    "tess billing set lab --mode chargeback --credit-limit 5000",
    "tess billing set lab --credit-limit none",
  ]);
  set.action(async (account: string, { mode, creditLimit }: SetFlags) => {
    if (mode === undefined && creditLimit === undefined)
      throw usageFailure("there is nothing to set", "give --mode, --credit-limit or both");
    const api = await session.api();
    const known = (await api.call("listBilling", { query: { account } })).items[0];
    const body: BodyOf<"setBilling"> = { mode: mode ?? known?.mode ?? "chargeback", ...limitOf(creditLimit) };
    const ifMatch = known === undefined ? {} : { ifMatch: known.revision };
    const billing = await api.call("setBilling", { at: { account }, body, ...ifMatch });
    await emitObject(session, billing, billing.tenant, (value) => billingText(session, value));
  });
}

function limitOf(text: string | undefined): Pick<BodyOf<"setBilling">, "creditLimitMicros"> {
  if (text === undefined) return {};
  return { creditLimitMicros: text === "none" ? null : parseMoney(text, "--credit-limit") };
}

const columns: readonly Column<BillingShape>[] = [
  { name: "tenant", text: ({ tenant }) => tenant, shrinks: true },
  { name: "mode", text: ({ mode }) => mode },
  { name: "owed", ...amountOf(({ owedMicros }) => owedMicros) },
  {
    name: "set-aside",
    ...amountOf(({ heldMicros }) => (heldMicros === "0" ? undefined : heldMicros)),
    hidesEmpty: true,
  },
  { name: "not-invoiced", ...amountOf(({ openMicros }) => openMicros) },
  { name: "credit-limit", ...amountOf(({ creditLimitMicros }) => creditLimitMicros), hidesEmpty: true },
  { name: "left", ...amountOf(({ leftMicros }) => leftMicros), hidesEmpty: true },
  { name: "state", text: ({ stopped }) => (stopped ? "stop-burst" : ""), style: () => "red" },
];

function amountOf(micros: (billing: BillingShape) => string | undefined) {
  return {
    text: (billing: BillingShape) => {
      const amount = micros(billing);
      return amount === undefined ? "" : moneyText(amount, billing.currency);
    },
    raw: (billing: BillingShape) => Number(micros(billing) ?? 0),
    right: true as const,
  };
}

function billingText(
  session: Session,
  { tenant, mode, creditLimitMicros, leftMicros, currency }: BillingShape,
): string {
  const how = mode === "chargeback" ? "owes what it uses" : "is shown what it uses, and owes nothing";
  const limit = creditLimitMicros === undefined ? "" : `, up to ${moneyText(creditLimitMicros, currency)}`;
  const left = leftMicros === undefined ? "" : `; ${moneyText(leftMicros, currency)} of it are left`;
  return `${session.paint("bold", tenant)} ${how}${limit}${left}\n`;
}
