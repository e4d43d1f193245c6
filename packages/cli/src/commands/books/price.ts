import type { BodyOf, PriceBookShape, PricePreview } from "@tessera/wire";
import { moneyText } from "@tessera/wire/money";
import type { Command } from "commander";
import { examples } from "../../help.ts";
import { emitObject } from "../../output/emit.ts";
import { renderTable } from "../../output/table.ts";
import { instantText } from "../../output/time.ts";
import { readDocuments } from "../../read/documents.ts";
import type { Session } from "../../session.ts";

type Version = PriceBookShape["versions"][number];
type Contract = PriceBookShape["contracts"][number];

export function define(command: Command, session: Session): void {
  examples(command.description("Shows and changes prices. A list holds from its `from` until the next one begins."), [
    "tess price show",
    "tess price preview prices.yaml",
    "tess price add prices.yaml",
  ]);

  const show = command
    .command("show")
    .summary("show the price book")
    .description("Shows all price lists and contracts.");
  examples(show, ["tess price show", "tess price show -o yaml"]);
  show.action(async () => showBook(session, await (await session.api()).call("readPrices")));

  const preview = command
    .command("preview")
    .summary("say what a list would have changed")
    .description("Says what the last month would have come to under a price list. Changes nothing.")
    .argument("<file>", "YAML or JSON; - is standard input");
  examples(preview, ["tess price preview prices.yaml"]);
  preview.action(async (file: string) => {
    const body = (await documentOf(session, file)) as BodyOf<"previewPrices">;
    const answer = await (await session.api()).call("previewPrices", { body });
    await emitObject(session, answer, answer.period, (value) => previewText(session, value));
  });

  const add = command
    .command("add")
    .summary("add a price list")
    .description("Adds a price list. What is charged already stays as it is.")
    .argument("<file>", "YAML or JSON; - is standard input");
  examples(add, ["tess price add prices.yaml"]);
  add.action(async (file: string) => {
    const body = (await documentOf(session, file)) as BodyOf<"addPrices">;
    const api = await session.api();
    const { revision: ifMatch } = await api.call("readPrices");
    await showBook(session, await api.call("addPrices", { body, ifMatch }));
  });

  const contract = command
    .command("contract")
    .summary("set the prices that were agreed with a tenant")
    .description("Sets the prices that were agreed with a tenant for a time, instead of the list.")
    .argument("<account>", "the tenant")
    .argument("<file>", "YAML or JSON; - is standard input");
  examples(contract, ["tess price contract lab contract.yaml"]);
  contract.action(async (account: string, file: string) => {
    const body = (await documentOf(session, file)) as BodyOf<"setContract">;
    const api = await session.api();
    const { contracts } = await api.call("readPrices");
    const ifMatch = contracts.find(({ tenant }) => tenant === account)?.revision;
    const known = ifMatch === undefined ? { ifNone: true } : { ifMatch };
    await showBook(session, await api.call("setContract", { at: { account }, body, ...known }));
  });
}

async function documentOf(session: Session, file: string): Promise<unknown> {
  const [document] = await readDocuments(session, file, {
    ifMissing: "name a YAML or JSON file, or - for standard input",
  });
  return document!.value;
}

async function showBook(session: Session, book: PriceBookShape): Promise<void> {
  await emitObject(session, book, "prices", (value) => bookText(session, value));
}

function bookText(session: Session, { versions, contracts }: PriceBookShape): string {
  if (versions.length === 0) return "There are no prices: nothing costs anything. tess price add FILE begins.\n";
  const lists = versions.map((version) => versionText(session, version));
  const agreed = contracts.map((contract) => contractText(session, contract, versions.at(-1)!.currency));
  return [...lists, ...agreed].join("\n");
}

function versionText(session: Session, version: Version): string {
  const { paint } = session;
  const notes = Object.entries({ isolation: version.isolation, topology: version.topology, profile: version.profile })
    .flatMap(([what, factors]) => Object.entries(factors ?? {}).map(([name, perMille]) => ({ what, name, perMille })))
    .map(({ what, name, perMille }) => `  ${what} ${name}: x ${perMille / 1_000}\n`)
    .join("");
  return `${paint("bold", version.id)} from ${instantText(version.from)}\n${ratesText(session, version.gpus, version.currency)}${notes}`;
}

function contractText(session: Session, contract: Contract, currency: string): string {
  const { paint } = session;
  const factor = contract.perMille === 1_000 ? "" : `, all else x ${contract.perMille / 1_000}`;
  const head = `${paint("bold", contract.tenant)} by contract from ${instantText(contract.from)} to ${instantText(contract.to)}${factor}`;
  return `${head}\n${contract.gpus.length === 0 ? "" : ratesText(session, contract.gpus, currency)}`;
}

function ratesText(session: Session, rates: Version["gpus"], currency: string): string {
  const columns = [
    { name: "model", text: ({ model }: Version["gpus"][number]) => (model === "*" ? "any" : model) },
    {
      name: "promised",
      text: ({ reservedMicros }: Version["gpus"][number]) => moneyText(String(reservedMicros), currency),
      right: true as const,
    },
    {
      name: "beyond",
      text: ({ burstMicros }: Version["gpus"][number]) => moneyText(String(burstMicros), currency),
      right: true as const,
    },
  ];
  const width = session.terminal.stdout.columns;
  return renderTable(columns, rates, { headers: true, paint: session.paint, now: session.now(), width });
}

function previewText(session: Session, { period, currency, rows, nowMicros, thenMicros }: PricePreview): string {
  type Row = PricePreview["rows"][number];
  const columns = [
    { name: "tenant", text: ({ tenant }: Row) => tenant },
    { name: "now", text: ({ nowMicros: micros }: Row) => moneyText(micros, currency), right: true as const },
    { name: "then", text: ({ thenMicros: micros }: Row) => moneyText(micros, currency), right: true as const },
  ];
  const all: Row = { tenant: "total", nowMicros, thenMicros };
  const width = session.terminal.stdout.columns;
  const table = renderTable(columns, [...rows, all], {
    headers: true,
    paint: session.paint,
    now: session.now(),
    width,
  });
  return `${session.paint("dim", `What ${period} comes to, and would have come to`)}\n${table}`;
}
