#!/usr/bin/env node
import { existsSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type Head, parseHead, readAnchor } from "./head.ts";
import { type Extract, verifyInvoice } from "./invoice.ts";
import { verifyJournal } from "./journal.ts";
import { openSource } from "./source.ts";
import type { Verdict } from "./verdict.ts";

const usage = `tess-verify: checks the history of a Tessera server without trusting it

  tess-verify journal STORE --key KEY [--anchor FILE]... [--head LINE]...
      STORE is a data folder, its store.sqlite, or a file of tess admin journal export (.jsonl)
  tess-verify invoice NUMBER --invoice FILE --extract FILE --key KEY [--anchor FILE]... [--head LINE]...
      the files that tess invoice show NUMBER -o json and tess invoice extract NUMBER write

  --key KEY      the server's first signing key as you know it: base64, or a file that holds it
  --anchor FILE  heads that were kept outside the server
  --head LINE    one such head
  --json         the verdict as JSON

Ends with 0 if everything is sound, 1 if not, 2 if it was called wrongly.`;

const options = {
  key: { type: "string" },
  anchor: { type: "string", multiple: true },
  head: { type: "string", multiple: true },
  invoice: { type: "string" },
  extract: { type: "string" },
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>["values"];

async function verdictOf([what, subject]: readonly string[], values: Values): Promise<Verdict> {
  if (subject === undefined) throw new Error(usage);
  const pinned = needed(values.key, "--key");
  const key = existsSync(pinned) ? readFileSync(pinned, "utf8").trim() : pinned;
  const anchored: Head[] = [
    ...(values.anchor ?? []).flatMap(readAnchor),
    ...(values.head ?? []).map((line) => parseHead(line, "--head")),
  ];
  if (what === "journal") {
    const source = await openSource(subject);
    try {
      return await verifyJournal(source, anchored, key);
    } finally {
      source.close();
    }
  }
  if (what !== "invoice") throw new Error(usage);
  const { text } = readJson<{ readonly text: string }>(needed(values.invoice, "--invoice"));
  const extract = readJson<Extract>(needed(values.extract, "--extract"));
  return verifyInvoice({ number: subject, text, extract, anchored, pinned: key });
}

function needed(value: string | undefined, name: string): string {
  if (value === undefined) throw new Error(`${name} is needed\n\n${usage}`);
  return value;
}

function readJson<Shape>(file: string): Shape {
  return JSON.parse(readFileSync(file, "utf8")) as Shape;
}

function textOf(verdict: Verdict): string {
  if (verdict.sound) return `sound\n${verdict.checked.map((line) => `  ${line}`).join("\n")}`;
  return `NOT SOUND: ${verdict.fault}`;
}

try {
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  if (values.help) {
    console.log(usage);
  } else {
    const verdict = await verdictOf(positionals, values);
    console.log(values.json ? JSON.stringify(verdict) : textOf(verdict));
    if (!verdict.sound) process.exitCode = 1;
  }
} catch (error) {
  console.error(`tess-verify: ${(error as Error).message}`);
  process.exitCode = 2;
}
