import type { Among } from "../fleet/fit.ts";
import { type Refusal, refuse } from "../journal/refusal.ts";
import type { AccountNo } from "../model/ids.ts";
import type { JobSpec } from "../model/job.ts";
import { lackText } from "../model/lack-text.ts";
import type { NodeFacts } from "../model/node.ts";
import type { Lack } from "../model/offers.ts";
import { accountOf } from "../quota/accounts.ts";
import { countLeftOut, type LeftOut } from "../state/left-out.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";

/** Refuses a job that may use no node at all, by what keeps it off those that come nearest [P10, P11]. */
export function noNodeAmong(
  state: ReadonlyState,
  account: AccountNo,
  spec: JobSpec,
  among: Among,
): Refusal | undefined {
  if (state.fleet.nodes.some((node) => node !== undefined && among.has(node))) return undefined;
  const out = countLeftOut(state, account, spec);
  if (out.dear.size > 0) return tooDear(out);
  if (out.pools.size > 0) return closed(state, account, out);
  if (out.offers.size > 0) return lacking(spec, out);
  if (out.labels.size > 0) return unlabelled(spec, out);
  if (out.region > 0) return elsewhere(state, "region", spec.region!, ({ place }) => place.region);
  if (out.engine > 0) return elsewhere(state, "engine", spec.engine!, ({ engine }) => engine);
  return undefined;
}

function tooDear({ dear }: LeftOut): Refusal {
  const names = [...dear.keys()].join(", ");
  const why = `keeps it off the pool ${names}, which costs more than the price list says, and no other node can run it`;
  return refuse("never-fits", "max_price", null, why, "leave max_price out, or ask for other nodes");
}

function closed(state: ReadonlyState, account: AccountNo, { pools }: LeftOut): Refusal {
  const { path } = accountOf(state, account);
  const names = [...pools.keys()].join(", ");
  const why = `may not use the pool ${names}, and no other node can run this job`;
  return refuse("not-allowed", "project", path, why, "ask for other nodes, or ask an administrator to open the pool");
}

/** A folder is sent unless the user says otherwise; a cluster takes it once it has an image that can unpack it. */
const codeHint =
  "send no folder (tess run --workdir none) and no venv, or have the cluster take files: tess engine edit NAME --set agentImage=IMAGE";

/** The field that asks for what is lacked, and what to do instead. */
const fieldOf: Readonly<Record<Lack, readonly [field: string, value: (spec: JobSpec) => string | null, hint: string]>> =
  {
    images: ["image", ({ image }) => image ?? null, "leave image out"],
    "without-image": ["image", () => null, "name a container image, such as image: python:3.13"],
    workdir: ["workdir", ({ workdir }) => workdir ?? null, "leave workdir out"],
    code: ["workdir", () => null, codeHint],
    mounts: ["mounts", () => null, "leave mounts out"],
    isolation: ["isolation", ({ isolation }) => isolation, "ask for isolation: any, or for whole GPUs"],
  };

function lacking(spec: JobSpec, { offers }: LeftOut): Refusal {
  const [first] = offers.values();
  const [field, askedIn, hint] = fieldOf[first?.lacks[0] ?? "images"];
  const engines = [...offers].map(([engine, { lacks }]) => lackText(engine, lacks)).join("; ");
  return refuse("unsupported", field, askedIn(spec), `cannot be honoured by any engine: ${engines}`, hint);
}

function unlabelled({ where = {} }: JobSpec, { labels }: LeftOut): Refusal {
  const [key] = labels.size === 1 ? labels.keys() : [];
  const hint = "see the labels of nodes: tess node get -o wide";
  if (key === undefined) return refuse("never-fits", "where", null, "No node has all of the labels in where", hint);
  return refuse("never-fits", `where.${key}`, where[key] ?? null, "is a label that no node has beside the rest", hint);
}

function elsewhere(
  { fleet }: ReadonlyState,
  field: "engine" | "region",
  value: string,
  of: (facts: NodeFacts) => string | undefined,
): Refusal {
  const known = [...new Set(fleet.nodes.flatMap((node) => (node === undefined ? [] : (of(node.facts) ?? []))))].sort();
  const hint = known.length === 0 ? `leave ${field} out: no node has one` : `${field}s with nodes: ${known.join(", ")}`;
  return refuse("never-fits", field, value, `is ${field === "engine" ? "an engine" : "a region"} without nodes`, hint);
}
