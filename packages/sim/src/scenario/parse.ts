import { poolModes, type Refusal, ratioMax, trusts } from "@tessera/core";
import { type Document, isMap, LineCounter, parseAllDocuments } from "yaml";
import { BadField, type FieldPath, Fields, knownName, listOf, mapOf } from "./fields.ts";
import { AccountTree } from "./parse-accounts.ts";
import { readFleet } from "./parse-fleet.ts";
import { StepReader } from "./parse-steps.ts";
import type { Policy, Scenario } from "./scenario.ts";
import { duration, flag, labels, lastingDuration, text, whole } from "./values.ts";

/** What is wrong with a scenario file, with its line where that is known. */
export interface BadFile {
  readonly refusal: Refusal;
  readonly line?: number;
}

const keys = ["scenario", "name", "fleet", "accounts", "policy", "pools", "steps"];
const policyKeys = ["grace", "min_runtime", "rebalance", "backfill", "scrub", "cpu_members"];
const aliasedNodesMax = 1_000;

/** The text of a scenario file (YAML 1.2) → a checked scenario, or the first fault. */
export function parseScenario(source: string): Scenario | BadFile {
  const lines = new LineCounter();
  let document: Document | undefined;
  try {
    document = oneDocument(source, lines);
    return readScenario(toPlain(document));
  } catch (error) {
    if (!(error instanceof BadField)) throw error;
    const line = error.line ?? (document && lineOf(document, error.path, lines));
    return { refusal: error.refusal, ...(line !== undefined && { line }) };
  }
}

function oneDocument(source: string, lineCounter: LineCounter): Document {
  const options = { version: "1.2", schema: "core", uniqueKeys: true, stringKeys: true, logLevel: "silent" } as const;
  const documents = parseAll(source, { ...options, lineCounter, prettyErrors: false });
  const document = documents[0];
  if (document === undefined || documents.length > 1) {
    const count = documents.length;
    throw new BadField([], count, "is not the number of YAML documents in a scenario file", "write exactly one");
  }
  const error = document.errors[0];
  if (error === undefined) return document;
  const { line } = lineCounter.linePos(error.pos[0]);
  throw new BadField([], null, `is not YAML: ${error.message}`, "mend the text there", "invalid", line);
}

function parseAll(source: string, options: Parameters<typeof parseAllDocuments>[1]): Document[] {
  try {
    const documents = parseAllDocuments(source, options);
    return Array.isArray(documents) ? documents : [];
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new BadField([], null, "is nested deeper than can be read", "write fewer brackets");
  }
}

export function isBadFile(parsed: Scenario | BadFile): parsed is BadFile {
  return "refusal" in parsed;
}

function toPlain(document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: aliasedNodesMax });
  } catch (error) {
    throw new BadField([], null, `cannot be read: ${(error as Error).message}`, "write aliased values out");
  }
}

function readScenario(value: unknown): Scenario {
  const fields = new Fields(value, [], "a scenario", keys);
  fields.need("scenario", readVersion, "begin the file with scenario: 1");
  const name = fields.need("name", text, "say in a few words what the scenario shows");
  const nodes = fields.need("fleet", readFleet, "add fleet: [{nodes: 1, named: n, gpus: H100:8}]");
  const tree = fields.need("accounts", (each, at) => new AccountTree(each, at), "add accounts: {lab: {guarantee: 8}}");
  const { accounts } = tree;
  const policy = fields.take("policy", readPolicy) ?? readPolicy({}, ["policy"]);
  const readSteps = (each: unknown, at: FieldPath) => new StepReader(nodes, tree).read(each, at);
  const steps = fields.need("steps", readSteps, "add steps: [{at: 0s, submit: [ … ]}]");
  const pools = fields.take("pools", (each, at) => readPools(each, at, tree)) ?? [];
  return { name, nodes, accounts, policy, pools, steps };
}

function readPools(value: unknown, at: FieldPath, tree: AccountTree): Scenario["pools"] {
  const accounts = listOf("accounts", (path, place) => tree.known(path, place));
  return mapOf("pools by name", (each, where, key) => {
    const fields = new Fields(each, where, "a pool", ["labels", "tenants", "mode", "ratio", "trust"]);
    return {
      name: key,
      labels: fields.need("labels", labels, "say which nodes it has, such as labels: {tier: gold}"),
      ...fields.take("tenants", (list, place) => ({ tenants: accounts(list, place) })),
      ...fields.take("mode", (mode, place) => ({ mode: knownName("a mode of a pool", poolModes)(mode, place) })),
      ...fields.take("ratio", (ratio, place) => ({ ratio: whole("a ratio", 1, ratioMax)(ratio, place) })),
      ...fields.take("trust", (trust, place) => ({ trust: knownName("a trust level", trusts)(trust, place) })),
    };
  })(value, at);
}

function readVersion(value: unknown, at: FieldPath): void {
  if (value !== 1) throw new BadField(at, value, "is not a version that can be read here", "write scenario: 1");
}

function readPolicy(value: unknown, at: FieldPath): Policy {
  const fields = new Fields(value, at, "a policy", policyKeys);
  return {
    graceMs: fields.take("grace", duration) ?? 0,
    minRuntimeMs: fields.take("min_runtime", duration) ?? 0,
    rebalance: fields.take("rebalance", flag) ?? true,
    backfill: fields.take("backfill", flag) ?? true,
    ...fields.take("scrub", (each, where) => ({ scrubMs: lastingDuration(each, where) })),
    ...fields.take("cpu_members", (each, where) => ({ cpuMembers: whole("a number of members", 0)(each, where) })),
  };
}

/** The line of a field; of a missing field, the line of the mapping that should hold it. */
function lineOf(document: Document, path: FieldPath, lines: LineCounter): number | undefined {
  const parent = path.length > 1 ? document.getIn(path.slice(0, -1), true) : document.contents;
  const pair = isMap(parent) ? parent.items.find((item) => String(item.key) === String(path.at(-1))) : undefined;
  const node = pair?.key ?? document.getIn(path, true) ?? parent;
  const range = (node as { range?: readonly number[] } | undefined)?.range;
  return range?.[0] === undefined ? undefined : lines.linePos(range[0]).line;
}
