import { type ForeignFile, type FoundField, recogniseDocument, recogniseText } from "@tessera/wire/elsewhere";
import { stringify } from "yaml";
import { exit } from "../exit.ts";
import { Failure } from "../failure.ts";

const commentColumn = 30;

/** Refuses a script that was written for another program, and shows what it would be here. */
export function refuseForeignScript(file: string, text: string): void {
  const foreign = recogniseText(text);
  if (foreign !== undefined) throw foreignFailure(file, foreign);
}

/** The same for parsed documents; of several, the first from which a job could be made is shown. */
export function refuseForeign(documents: readonly { readonly from: string; readonly value: unknown }[]): void {
  const found = documents.flatMap(({ from, value }) => {
    const foreign = recogniseDocument(value);
    return foreign === undefined ? [] : [{ from, foreign }];
  });
  const shown = found.find(({ foreign }) => foreign.fields.length > 0) ?? found[0];
  if (shown !== undefined) throw foreignFailure(shown.from, shown.foreign);
}

function foreignFailure(file: string, foreign: ForeignFile): Failure {
  const { kind, fields, left } = foreign;
  const job = fields.flatMap(fieldLines);
  const lines = [
    ...(job.length === 0 ? [] : ["As a Tessera job, with what it says:", "", ...job.map((line) => `  ${line}`), ""]),
    ...(left.length === 0 ? [] : ["What has no field here:", ...left.map((each) => `  ${each}`), ""]),
  ];
  const hint =
    job.length === 0
      ? "a job file has fields such as run, gpus and nodes: docs/jobs.md"
      : "Save these fields in a file and try it with tess run FILE --dry-run.";
  return new Failure(exit.badSpec, {
    code: "foreign-file",
    message: `${file} is ${kind}, not a job file of Tessera`,
    hint,
    lines,
    more: { kind, job: Object.fromEntries(fields.map(({ field, value }) => [field, value])), left },
  });
}

/** The field as YAML, with where it comes from. */
function fieldLines({ field, value, from }: FoundField): string[] {
  const flow = typeof value === "object";
  const [first = "", ...more] = stringify({ [field]: value }, { lineWidth: 0, collectionStyle: flow ? "flow" : "any" })
    .replace(/^\{ (.*) \}\n$/s, flow ? "$1\n" : "$&")
    .trimEnd()
    .split("\n");
  return [`${first.padEnd(commentColumn)} # ${from.replaceAll(/\s+/g, " ")}`, ...more];
}
