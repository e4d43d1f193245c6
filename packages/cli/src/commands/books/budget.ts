import type { BodyOf, BudgetShape } from "@tessera/wire";
import { moneyText } from "@tessera/wire/money";
import { type Command, Option } from "commander";
import { usageFailure } from "../../failure.ts";
import { examples } from "../../help.ts";
import type { Column } from "../../output/column.ts";
import { emitList, emitObject } from "../../output/emit.ts";
import { bar } from "../../output/gpus.ts";
import { parseMoney } from "../../output/money.ts";
import { instantText } from "../../output/time.ts";
import type { Session } from "../../session.ts";
import { addListFlags, type ListFlags } from "../../verbs/list.ts";

interface SetFlags {
  readonly limit: string;
  readonly every?: "month" | "once";
  readonly alerts?: string;
  readonly stop?: NonNullable<BodyOf<"setBudget">["stop"]>;
}

const barCells = 16;

export function define(command: Command, session: Session): void {
  examples(command.description("Shows and sets what an account may spend, and what happens when it is spent."), [
    "tess budget get",
    "tess budget set lab --limit 50000 --alerts 50,80,100 --stop stop-burst",
  ]);

  const get = command
    .command("get")
    .summary("list budgets")
    .description("Lists budgets with the amount spent and the forecast.")
    .argument("[account]", "only this account and below");
  addListFlags(get);
  examples(get, ["tess budget get", "tess budget get lab -o json"]);
  get.action(async (account: string | undefined, flags: ListFlags) => {
    const query = account === undefined ? {} : { account };
    const page = await (await session.api()).call("listBudgets", { query });
    await emitList(session, page, { columns: columnsOf(session), nameOf: (budget) => budget.account }, flags);
    if (session.readable && page.items.length === 0) await session.note("No budgets.");
  });

  const set = command
    .command("set")
    .summary("set the budget of an account")
    .description("Sets the budget of an account; it includes the accounts below.")
    .argument("<account>", "whose")
    .requiredOption("--limit <amount>", "in the currency of the price list")
    .addOption(new Option("--every <period>", "start again each month, or never").choices(["month", "once"]))
    .option("--alerts <percents>", "alert at these percentages of the limit, such as 50,80,100; or none")
    .addOption(
      new Option("--stop <what>", "what happens when it is spent").choices([
        "alert",
        "refuse-new",
        "stop-burst",
        "stop-all",
      ]),
    );
  examples(set, ["tess budget set lab/vision --limit 1200.50", "tess budget set lab --limit 50000 --stop refuse-new"]);
  set.action(async (account: string, flags: SetFlags) => {
    const api = await session.api();
    const body = bodyOf(flags);
    const { items } = await api.call("listBudgets", { query: { account } });
    const ifMatch = items.find((each) => each.account === account)?.revision;
    const known = ifMatch === undefined ? { ifNone: true } : { ifMatch };
    const budget = await api.call("setBudget", { at: { account }, body, ...known });
    await emitObject(session, budget, budget.account, (value) => budgetText(session, value));
  });

  const drop = command
    .command("delete")
    .summary("delete a budget")
    .description("Deletes the budget of an account.")
    .argument("<account>", "whose");
  examples(drop, ["tess budget delete lab/vision"]);
  drop.action(async (account: string) => {
    await (await session.api()).call("dropBudget", { at: { account } });
    if (session.readable) await session.print(`${session.paint("bold", account)} has no budget any more\n`);
  });
}

function bodyOf({ limit, every, alerts, stop }: SetFlags): BodyOf<"setBudget"> {
  return {
    limitMicros: parseMoney(limit, "--limit"),
    ...(every !== undefined && { every }),
    ...(alerts !== undefined && { alertsPerMille: alerts === "none" ? [] : alerts.split(",").map(perMilleOf) }),
    ...(stop !== undefined && { stop }),
  };
}

function perMilleOf(text: string): number {
  const percent = Number(text.trim().replace(/%$/, ""));
  if (Number.isFinite(percent) && percent > 0 && percent <= 100) return Math.round(percent * 10);
  throw usageFailure(`--alerts must be percents, got "${text}"`, "such as 50,80,100, or none");
}

function columnsOf(session: Session): readonly Column<BudgetShape>[] {
  return [
    { name: "account", text: ({ account }) => account, shrinks: true },
    {
      name: "spent",
      text: ({ spentMicros, currency }) => moneyText(spentMicros, currency),
      raw: ({ spentMicros }) => Number(spentMicros),
      right: true,
    },
    {
      name: "limit",
      text: ({ limitMicros, currency }) => moneyText(limitMicros, currency),
      raw: ({ limitMicros }) => Number(limitMicros),
      right: true,
    },
    {
      name: "part",
      text: ({ spentMicros, limitMicros }) => {
        const [spent, limit] = [Number(spentMicros), Number(limitMicros)];
        return bar([{ amount: spent, style: spent >= limit ? "red" : "green" }], limit, barCells, session.paint);
      },
      drops: true,
    },
    {
      name: "forecast",
      text: ({ forecastMicros, currency }) => moneyText(forecastMicros, currency),
      right: true,
      style: ({ forecastMicros, limitMicros }) => (BigInt(forecastMicros) > BigInt(limitMicros) ? "yellow" : undefined),
    },
    { name: "spent-at", text: ({ spentAt }) => instantText(spentAt), drops: true },
    { name: "every", text: ({ every }) => every },
    { name: "then", text: ({ stop }) => stop },
    {
      name: "state",
      text: (budget) => [...(budget.stopped === "none" ? [] : [budget.stopped]), ...overText(budget)].join(", "),
      style: ({ stopped, overMicros }) => (stopped === "none" && overMicros === undefined ? undefined : "red"),
    },
  ];
}

function overText({ overMicros, currency }: BudgetShape): string[] {
  return overMicros === undefined ? [] : [`over by ${moneyText(overMicros, currency)}`];
}

function budgetText(session: Session, budget: BudgetShape): string {
  const { account, limitMicros, spentMicros, currency, every, stop } = budget;
  const spent = [moneyText(spentMicros, currency), ...overText(budget)].join(", ");
  return `${session.paint("bold", account)} may spend ${moneyText(limitMicros, currency)} ${every === "month" ? "a month" : "in all"}, has spent ${spent}; then: ${stop}\n`;
}
