import { mistakesOf, type Refusal, refuse, refuseAll } from "../journal/refusal.ts";
import type { AccountNo } from "../model/ids.ts";
import type { JobSpec } from "../model/job.ts";
import { hasLabels } from "../model/labels.ts";
import type { FleetNode } from "../model/node.ts";
import { poolsShut } from "../state/narrowing.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";

/** The part of a request that narrows the nodes: an engine, a region, labels. */
export interface RawNarrow {
  readonly engine?: string;
  readonly region?: string;
  readonly where?: { readonly [key: string]: string };
}

/** The most labels that a job has, or that a job or a pool may ask for. */
export const labelsAskedMax = 16;

const anywhere = {};
const engineName = /^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/;
const labelKey = /^[A-Za-z0-9]([A-Za-z0-9._/-]{0,251}[A-Za-z0-9])?$/;
const labelValue = /^[^\p{Cc}]{0,253}$/u;

/** Whether a node is one of those in question. */
export type NodeTest = (node: FleetNode) => boolean;

/** The nodes that a request may use by its fields and by pools; undefined = all. */
export function nodesAsked(state: ReadonlyState, account: AccountNo | undefined, raw: RawNarrow): NodeTest | undefined {
  const { engine, region, where } = raw;
  const labels = { ...where, ...(engine !== undefined && { engine }), ...(region !== undefined && { region }) };
  const shut = account === undefined ? undefined : poolsShut(state, account, {});
  if (Object.keys(labels).length === 0 && (shut === undefined || shut.size === 0)) return undefined;
  return (node) => {
    const pool = state.nodePools.of(node.no);
    return hasLabels(node.facts, labels) && (pool === undefined || shut?.has(pool) !== true);
  };
}

/** The fields of a spec that narrow the nodes, labels by key. */
export function parseNarrow(raw: RawNarrow): Pick<JobSpec, "engine" | "region" | "where"> | Refusal {
  const { engine, region } = raw;
  if (engine === undefined && region === undefined && raw.where === undefined) return anywhere;
  const mistakes: Refusal[] = [];
  if (engine !== undefined && !engineName.test(engine))
    mistakes.push(
      refuse("invalid", "engine", engine, "is not the name of an engine", "write a name as tess engine get shows it"),
    );
  if (region !== undefined && (region === "" || !labelValue.test(region)))
    mistakes.push(
      refuse("invalid", "region", region, "is not the name of a region", "write a name as tess node get shows it"),
    );
  const wrong = checkLabels(raw.where ?? {}, "where");
  if (wrong !== undefined) mistakes.push(...mistakesOf(wrong));
  return refuseAll(mistakes) ?? { engine, region, where: sortedLabels(raw.where) };
}

/** Refuses labels that no node or job could have, and more of them than there may be. */
export function checkLabels(labels: { readonly [key: string]: string }, field: string): Refusal | undefined {
  const given = Object.entries(labels);
  if (given.length > labelsAskedMax)
    return refuse("invalid", field, given.length, `is more than ${labelsAskedMax} labels`, "name fewer labels");
  const mistakes = given.flatMap(([key, value]) => {
    const at = `${field}.${key}`;
    if (!labelKey.test(key))
      return refuse("invalid", at, value, "is not the key of a label", "write letters, digits and . _ - /");
    if (labelValue.test(value)) return [];
    return refuse("invalid", at, value, "is not the value of a label", "write at most 253 characters in one line");
  });
  return refuseAll(mistakes);
}

/** In the order in which the journal writes keys; undefined without any. */
export function sortedLabels(labels: { readonly [key: string]: string } = {}): JobSpec["where"] {
  const given = Object.entries(labels);
  if (given.length === 0) return undefined;
  return Object.fromEntries(given.sort(([a], [b]) => (a < b ? -1 : 1)));
}
