import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { ExtractShape, InvoiceShape, InvoiceVerdict } from "@tessera/wire";
import type { Command } from "commander";
import { specFailure, usageFailure } from "../../failure.ts";
import { examples } from "../../help.ts";
import { emitObject, jsonText } from "../../output/emit.ts";
import type { Session } from "../../session.ts";
import { placeOf } from "./invoice-place.ts";

interface VerifyFlags {
  readonly invoice?: string;
  readonly extract?: string;
  readonly head?: string;
  readonly key?: string;
}

const exitUnsound = 1;

/** Adds what a tenant checks an invoice with: `verify`, and what it needs for that without the server. */
export function addVerify(command: Command, session: Session): void {
  const verify = command
    .command("verify")
    .summary("compute an invoice again and prove that the journal holds it")
    .description(
      "Computes an invoice again from what it was made from, and proves that the journal holds it. With files it needs no server: " +
        "the invoice, its extract, a head that was published and the server's signing key are enough. Ends with 1 where " +
        "something is wrong, and names it. The key is the one that this machine remembers of the server unless --key is given.",
    )
    .argument("<invoice>", "its number")
    .option("--invoice <file>", "the invoice, as written by tess invoice show -o json")
    .option("--extract <file>", "what it was made from, as written by tess invoice extract")
    .option("--head <line>", "a signed head of the journal that was published")
    .option("--key <key>", "the server's signing key as you know it, base64");
  examples(verify, [
    "tess invoice verify INV-000001",
    "tess invoice verify INV-000001 --key MCowBQYDK2VwAyEA…",
    'tess invoice verify INV-000001 --invoice invoice.json --extract extract.json --head "tessera-head/1 …"',
  ]);
  verify.action(async (name: string, flags: VerifyFlags) => {
    const claim = await claimOf(session, name, flags);
    const { verifyInvoice } = await import("@tessera/wire");
    const verdict = await verifyInvoice(claim);
    await emitObject(session, verdict, name, (value) => verdictText(session, name, value));
    if (!verdict.sound) session.exitCode = exitUnsound;
  });

  const extract = command
    .command("extract")
    .summary("write what an invoice was made from")
    .description("Writes what an issued invoice was made from, with the proof that the journal holds it, as JSON.")
    .argument("<invoice>", "its number")
    .option("--since <row>", "also prove it against an earlier head: the number of its row");
  examples(extract, ["tess invoice extract INV-000001 > extract.json", "tess invoice extract INV-000001 --since 4711"]);
  extract.action(async (name: string, { since }: { readonly since?: string }) => {
    const api = await session.api();
    const row = since === undefined ? undefined : Number(since);
    if (row !== undefined && !(Number.isSafeInteger(row) && row > 0))
      throw usageFailure(`--since must be the number of a row, got "${since}"`, "it stands in the head as row=");
    const query = row === undefined ? {} : { since: row };
    await session.print(jsonText(session, await api.call("getExtract", { at: await placeOf(api, name), query })));
  });

  const head = command
    .command("head")
    .summary("show the head of the journal")
    .description("Shows the signed head of the journal; publish it where it cannot be changed. tess anchor does so.");
  examples(head, ["tess invoice head", "tess invoice head -o json"]);
  head.action(async () => {
    const shape = await (await session.api()).call("getHead");
    await emitObject(session, shape, shape.line, ({ line }) => `${line}\n`);
  });
}

async function claimOf(session: Session, name: string, flags: VerifyFlags) {
  const given = [flags.invoice, flags.extract, flags.head].filter((flag) => flag !== undefined).length;
  if (given > 0 && given < 3) {
    throw usageFailure("--invoice, --extract and --head go together", "give all three, or none to ask the server");
  }
  if (flags.head !== undefined) {
    const { text } = readDocument<InvoiceShape>(session, flags.invoice!);
    const extract = readDocument<ExtractShape>(session, flags.extract!);
    return {
      number: name,
      text,
      extract,
      head: flags.head,
      key: flags.key ?? (await knownKey(session).catch(() => undefined)) ?? "",
    };
  }
  const api = await session.api();
  const at = await placeOf(api, name);
  // The head first: the proof, made after it, shows that it goes by it.
  const { line: head, row, publicKey } = await api.call("getHead");
  const key = flags.key ?? (await knownKey(session)) ?? publicKey;
  const { text } = await api.call("getInvoice", { at });
  const extract = await api.call("getExtract", { at, query: { since: row } });
  return { number: name, text, extract, head, key };
}

async function knownKey(session: Session): Promise<string | undefined> {
  const { recall } = await import("../../heads/memory.ts");
  return recall(session.terminal.env, (await session.place()).name)?.key;
}

function readDocument<Shape>(session: Session, file: string): Shape {
  try {
    return JSON.parse(readFileSync(resolve(session.terminal.cwd, file), "utf8")) as Shape;
  } catch (cause) {
    throw specFailure(`${file} cannot be read: ${(cause as Error).message}`);
  }
}

function verdictText(session: Session, name: string, verdict: InvoiceVerdict): string {
  const { paint } = session;
  if (!verdict.sound) return `${paint("red", "NOT SOUND")}: ${name}: ${verdict.fault}\n`;
  return `${paint("green", "sound")}: ${name}\n${verdict.checked.map((line) => `  ${line}\n`).join("")}`;
}
