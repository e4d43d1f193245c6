import { type ForeignFile, recogniseDocument, recogniseText } from "@tessera/wire/elsewhere";
import { isMap, parseDocument } from "yaml";
import { readDecimal, writeDecimal } from "../../format/decimal.ts";
import { writeYaml } from "../../format/yaml.ts";

/** What makes a text unreadable, and its line. */
export interface Fault {
  readonly line: number;
  readonly message: string;
}

/** One of the jobs of a text: documents of YAML stand between lines of `---`. */
export interface JobText {
  readonly text: string;
  /** The lines of the whole text before it. */
  readonly before: number;
}

/** The jobs of a text; a text without a job is one that is still empty. */
export function jobsIn(text: string): JobText[] {
  const jobs: JobText[] = [];
  let before = 0;
  for (const part of text.split(/^(?:---|\.\.\.)(?=\s|$)/m)) {
    if (part.split("\n").some((line) => line.trim() !== "" && !line.trim().startsWith("#")))
      jobs.push({ text: part.replace(/^\s*\n/, ""), before: before + (/^\s*\n/.test(part) ? 1 : 0) });
    before += part.split("\n").length - 1;
  }
  return jobs.length === 0 ? [{ text, before: 0 }] : jobs;
}

/** The text with the first of its jobs replaced. */
export function withFirst(text: string, first: string): string {
  const [, ...rest] = jobsIn(text);
  return rest.length === 0 ? first : [first, ...rest.map((job) => job.text)].map(lineEnded).join("---\n");
}

function lineEnded(text: string): string {
  return text.endsWith("\n") ? text : `${text}\n`;
}

/** A job of a text, with the line of what makes it unreadable. */
export interface Document extends JobText {
  readonly name: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** The YAML error, with its line in the whole text. */
  readonly fault?: Fault;
  /** What it is where it was written for another program; it has a fault then. */
  readonly foreign?: ForeignFile;
}

/** The jobs of a text, each with its fields or its fault. */
export function documentsIn(text: string): Document[] {
  return jobsIn(text).map((job) => ({ ...job, ...readOne(job) }));
}

function readOne({ text, before }: JobText): Omit<Document, keyof JobText> {
  const script = recogniseText(text);
  if (script !== undefined) return foreignOne(script, before);
  if (text.startsWith("#!")) return { name: "job", fields: {}, fault: { line: before + 1, message: scriptText } };
  const document = parseDocument(text);
  const [error] = document.errors;
  const written = /^name:\s*(\S+)/m.exec(text)?.[1];
  if (error !== undefined) {
    const line = before + (error.linePos?.[0].line ?? 1);
    return { name: written ?? "job", fields: {}, fault: { line, message: error.message.split("\n")[0]! } };
  }
  const fields: unknown = document.toJS();
  const isJob = typeof fields === "object" && fields !== null && !Array.isArray(fields);
  const own = isJob ? (fields as Record<string, unknown>) : {};
  const foreign = recogniseDocument(own);
  return foreign === undefined ? { name: String(own.name ?? "job"), fields: own } : foreignOne(foreign, before);
}

const scriptText =
  "This is a script, not a job file: put its lines below run: |, or submit the file with tess run FILE.";

function foreignOne(foreign: ForeignFile, before: number): Omit<Document, keyof JobText> {
  const name = foreign.fields.find(({ field }) => field === "name")?.value;
  const message = `This is ${foreign.kind}, not a job file.`;
  return { name: String(name ?? "job"), fields: {}, fault: { line: before + 1, message }, foreign };
}

/** The job that a file of another program would be, with what has no field here as comments above it. */
export function translated({ kind, fields, left }: ForeignFile): string {
  const comments = left.map((each) => `#   ${each.replaceAll(/\s*\n\s*/g, " ")}\n`);
  const head = comments.length === 0 ? "" : `# From ${kind}. What has no field here:\n${comments.join("")}`;
  return head + writeYaml(Object.fromEntries(fields.map(({ field, value }) => [field, value])));
}

/** The text with one field changed; comments and the order of the rest stay. An empty value removes the field. */
export function withField(text: string, field: string, value: unknown): string {
  return withFirst(text, withFieldOf(jobsIn(text)[0]!.text, field, value));
}

function withFieldOf(text: string, field: string, value: unknown): string {
  if (readOne({ text, before: 0 }).fault !== undefined) return text;
  const document = parseDocument(text);
  if (!isMap(document.contents)) document.contents = document.createNode({}) as never;
  if (value === "" || value === undefined || value === null) document.delete(field);
  else document.set(field, value);
  const written = document.toString({ lineWidth: 0 });
  return written.trim() === "{}" || written.trim() === "null" ? "" : written;
}

/** The line of a top-level field, counted from 1; undefined where it is not written. */
export function lineOf(text: string, field: string): number | undefined {
  const name = field.split(".")[0]!;
  const at = text.split("\n").findIndex((line) => line.startsWith(`${name}:`));
  return at < 0 ? undefined : at + 1;
}

/** `H100` and `8` of `H100:8`; the model is empty for any. */
export function partsOfGpus(gpus: unknown): { model: string; count: string } {
  const text = String(gpus ?? "");
  const [, model = "", many = ""] = /^(?:([^:]*):)?(.*)$/.exec(text) ?? [];
  return { model, count: many };
}

/** What the file has for a model and a count; without a count the model waits for one, which no server takes. */
export function gpusOf(model: string, many: string): string | number | undefined {
  if (many === "") return model === "" ? undefined : `${model}:`;
  if (model !== "") return `${model}:${many}`;
  return /^\d+(\.\d+)?$/.test(many) ? Number(many) : many;
}

/** Several models to choose from, which the form shows and leaves to the file; undefined where there is one request. */
export function listOfGpus(gpus: unknown): string | undefined {
  if (typeof gpus !== "object" || gpus === null) return undefined;
  const list = "any" in gpus ? gpus.any : gpus;
  return Array.isArray(list) ? list.join(", ") : "";
}

/** A count of GPUs that was typed, as the file has it: a number as the reader's language writes it, or a size such as `1g.10gb`. */
export function readCount(text: string, locale?: string): { readonly count: string } | { readonly wrong: string } {
  const typed = text.trim();
  if (typed === "" || /[A-Za-z]/.test(typed)) return { count: typed };
  const read = readDecimal(typed, locale);
  return "plain" in read ? { count: read.plain } : read;
}

/** A count of the file as it would be typed. */
export function writeCount(count: string, locale?: string): string {
  return /^\d+(\.\d+)?$/.test(count) ? writeDecimal(count, locale) : count;
}
