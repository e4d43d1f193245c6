import type { EntryShape, LedgerPage } from "@tessera/wire";
import { moneyText } from "@tessera/wire/money";
import { type Command, Option } from "commander";
import { usageFailure } from "../../failure.ts";
import { examples } from "../../help.ts";
import type { Api } from "../../http.ts";
import type { Query } from "../../nouns/noun.ts";
import type { Column } from "../../output/column.ts";
import { emitObject } from "../../output/emit.ts";
import { parseMoney } from "../../output/money.ts";
import { instantText } from "../../output/time.ts";
import type { Session } from "../../session.ts";
import { addListFlags, emitPage, type ListFlags, limitOf } from "../../verbs/list.ts";
import { fetchPages } from "../../verbs/pages.ts";

interface PostFlags {
  readonly kind: "payment" | "hold" | "post" | "void" | "adjustment";
  readonly amount?: string;
  readonly of?: string;
  readonly memo: string;
}

export function define(command: Command, session: Session): void {
  examples(command.description("Shows the books, entry by entry, and writes into them. Entries are never changed."), [
    "tess ledger get lab",
    'tess ledger post lab --kind payment --amount 5000 --memo "bank transfer 88"',
  ]);

  const get = command
    .command("get")
    .summary("list entries and balances")
    .description("Lists entries, newest first, and the balance of each book.")
    .argument("[account]", "only this tenant's")
    .option("--open", "only holds that are neither posted nor voided");
  addListFlags(get);
  examples(get, ["tess ledger get", "tess ledger get lab -o json", "tess ledger get lab --open"]);
  get.action(async (account: string | undefined, flags: ListFlags & { readonly open?: boolean }) => {
    let balances: LedgerPage["balances"] = {};
    const list = {
      page: async (api: Api, query: Query) => {
        const page = await api.call("listEntries", { query });
        balances = page.balances;
        return page;
      },
    };
    const query = { ...(account !== undefined && { account }), ...(flags.open && { open: true }) };
    const page = await fetchPages(list, await session.api(), query, limitOf(flags));
    const view = { columns, nameOf: ({ no }: EntryShape) => String(no), plural: "entries" };
    await emitPage(session, view, { ...page, ...(session.readable ? {} : { balances }) }, flags);
    if (session.readable) await session.print(balancesText(session, balances, page.items[0]?.currency));
  });

  const post = command
    .command("post")
    .summary("write an entry")
    .description("Writes an entry: a payment, a hold on prepaid credit, its use or its release, or a correction.")
    .argument("<account>", "the tenant")
    .addOption(
      new Option("--kind <kind>", "what it is")
        .choices(["payment", "hold", "post", "void", "adjustment"])
        .makeOptionMandatory(),
    )
    .option("--amount <amount>", "how much; void needs none")
    .option("--of <entry>", "the hold that ends, or the entry that is corrected")
    .requiredOption("--memo <text>", "why");
  examples(post, [
    'tess ledger post lab --kind payment --amount 5000 --memo "bank transfer 88"',
    'tess ledger post lab --kind adjustment --amount -12.50 --of 41 --memo "outage of 3 November"',
  ]);
  post.action(async (account: string, { kind, amount, of, memo }: PostFlags) => {
    if (of !== undefined && !/^[1-9]\d{0,14}$/.test(of))
      throw usageFailure(`--of must be an entry's number, got "${of}"`, "see: tess ledger get");
    if (amount === undefined && kind !== "void") throw usageFailure("--amount is missing", "only void needs none");
    const micros = amount === undefined ? "0" : parseMoney(amount, "--amount");
    const body = { account, kind, micros, memo, ...(of !== undefined && { of: Number(of) }) };
    const entry = await (await session.api()).call("postEntry", { body });
    await emitObject(
      session,
      entry,
      String(entry.no),
      ({ no }) => `entry ${session.paint("bold", String(no))} written\n`,
    );
  });
}

const columns: readonly Column<EntryShape>[] = [
  { name: "no", text: ({ no }) => String(no), raw: ({ no }) => no, right: true },
  { name: "at", text: ({ at }) => instantText(at), drops: true },
  { name: "kind", text: ({ kind }) => kind },
  {
    name: "legs",
    text: ({ legs, currency }) =>
      legs.map(({ account, micros }) => `${account} ${moneyText(micros, currency)}`).join(", "),
    shrinks: true,
  },
  {
    name: "invoice",
    text: ({ invoice, line }) => (invoice === undefined ? "" : `${invoice}${line === undefined ? "" : `/${line}`}`),
  },
  { name: "memo", text: ({ memo }) => memo, shrinks: true },
];

function balancesText(session: Session, balances: LedgerPage["balances"], currency: string | undefined): string {
  if (currency === undefined) return "";
  const lines = Object.entries(balances).map(([account, micros]) => `  ${account}  ${moneyText(micros, currency)}\n`);
  return `\n${session.paint("bold", "Balances")}\n${lines.join("")}`;
}
