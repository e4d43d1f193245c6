import { isMap, parseDocument } from "yaml";

/** A job file that is being written: the text is the truth, the form is a view of it. */
export interface JobFile {
  readonly fields: Readonly<Record<string, unknown>>;
  /** The YAML error of the text, with its line. */
  readonly fault?: { readonly line: number; readonly message: string };
}

export function readFile(text: string): JobFile {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error !== undefined) {
    return { fields: {}, fault: { line: error.linePos?.[0].line ?? 1, message: error.message.split("\n")[0]! } };
  }
  const fields: unknown = document.toJS();
  return { fields: typeof fields === "object" && fields !== null ? (fields as Record<string, unknown>) : {} };
}

/** The text with one field changed; comments and the order of the rest stay. An empty value removes the field. */
export function withField(text: string, field: string, value: unknown): string {
  const document = parseDocument(text);
  if (document.errors.length > 0) return text;
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
  const text = String(Array.isArray(gpus) ? (gpus[0] ?? "") : (gpus ?? ""));
  const [, model = "", many = ""] = /^(?:([^:]*):)?(.*)$/.exec(text) ?? [];
  return { model, count: many };
}

export function gpusOf(model: string, many: string): string | number | undefined {
  if (many === "") return undefined;
  const amount = Number(many);
  if (model !== "") return `${model}:${many}`;
  return Number.isNaN(amount) ? many : amount;
}
