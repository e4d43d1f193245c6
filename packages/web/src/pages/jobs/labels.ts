import type { Job } from "@tessera/wire";
import { count } from "../../format/numbers.ts";

/** A label to give, as KEY=VALUE, or a key to take away. */
export interface LabelChange {
  readonly how: "add" | "remove";
  readonly text: string;
}

type Labelled = Pick<Job, "state" | "labels"> & { readonly elements?: object | undefined };

const keyPattern = /^[A-Za-z0-9]([A-Za-z0-9._/-]{0,251}[A-Za-z0-9])?$/;
const valueMax = 253;
const labelsMax = 16;

/** What is wrong with a label as it was typed; undefined = nothing. */
export function wrongLabel({ how, text }: LabelChange): string | undefined {
  const { key, value } = partsOf(text);
  if (how === "add" && value === undefined) return "Write KEY=VALUE, such as sweep=lr";
  if (!keyPattern.test(key)) return `"${key}" is not a key: letters, digits and . _ - /`;
  if ((value ?? "").length > valueMax) return `A value has at most ${valueMax} characters`;
  return undefined;
}

/** As the API takes it. */
export function labelBody({ how, text }: LabelChange): { [key: string]: string | null } {
  const { key, value = "" } = partsOf(text);
  return { [key]: how === "add" ? value : null };
}

/** What gives a job the labels back that a change took or replaced. */
export function labelsBefore(change: LabelChange, { labels = {} }: Labelled): { [key: string]: string | null } {
  const keys = Object.keys(labelBody(change));
  return Object.fromEntries(keys.map((key) => [key, labels[key] ?? null]));
}

/** Whether the change does anything to this job. */
export function labelConcerns(change: LabelChange, { state, labels = {} }: Labelled): boolean {
  const { key, value } = partsOf(change.text);
  if (state === "ended") return false;
  return change.how === "add" ? labels[key] !== value : Object.hasOwn(labels, key);
}

/** What the change does to these jobs, which of them lose another value, and which stay as they are. */
export function labelEffect(change: LabelChange, jobs: readonly Labelled[]): string {
  const changed = jobs.filter((job) => labelConcerns(change, job));
  const { key, value } = partsOf(change.text);
  const one = changed.length === 1;
  if (changed.length === 0) return "Nothing would change.";
  const does =
    change.how === "remove"
      ? `${one ? "loses" : "lose"} the label ${key}.`
      : `${one ? "gets" : "get"} the label ${key}=${value}.`;
  const replaced = change.how === "add" ? changed.filter(({ labels = {} }) => Object.hasOwn(labels, key)).length : 0;
  const full = change.how === "add" ? changed.filter((job) => isFull(job, key)).length : 0;
  const rest = [
    ...(changed.some(({ elements }) => elements !== undefined)
      ? ["The same goes for the elements of arrays that have not ended."]
      : []),
    ...(replaced > 0 ? [`${replaced} of them had another value.`] : []),
    ...(full > 0 ? [`${count(full, "job")} will refuse it: ${labelsMax} labels are the most.`] : []),
    ...(jobs.length > changed.length ? [`${count(jobs.length - changed.length, "job")} not changed.`] : []),
  ];
  return [`${count(changed.length, "job")} ${does}`, ...rest].join(" ");
}

/** All keys that some of the jobs have. */
export function keysOf(jobs: readonly Labelled[]): string[] {
  return [...new Set(jobs.flatMap(({ labels = {} }) => Object.keys(labels)))].sort();
}

function isFull({ labels = {} }: Labelled, key: string): boolean {
  return !Object.hasOwn(labels, key) && Object.keys(labels).length >= labelsMax;
}

function partsOf(text: string): { readonly key: string; readonly value: string | undefined } {
  const at = text.indexOf("=");
  return at < 0
    ? { key: text.trim(), value: undefined }
    : { key: text.slice(0, at).trim(), value: text.slice(at + 1).trim() };
}
