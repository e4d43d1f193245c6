import type { Job } from "../model/job.ts";
import { findSeats } from "../place/seats.ts";
import { accountOf } from "../quota/accounts.ts";
import { modelsFor } from "../quota/demand.ts";
import { countLeftOut } from "../state/left-out.ts";
import { nodesAmong } from "../state/narrowing.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";
import type { NodesLeftOut, Reason } from "./reason.ts";

/** Seats are free, but on nodes that the job may not use [P10, P11]; undefined where that is not the reason. */
export function leftOutReason(state: ReadonlyState, job: Job, choice: number): Reason | undefined {
  const leftOut = nodesLeftOut(state, job);
  if (leftOut === undefined) return undefined;
  const anywhere = { ...job, spec: { ...job.spec, engine: undefined } };
  const needed = job.spec.gpus[choice]!.count * job.spec.members.min;
  for (const model of modelsFor(state, anywhere, choice)) {
    if (typeof findSeats(state, anywhere, choice, model, { anyNode: true }) === "string") continue;
    const name = model < 0 ? "" : state.fleet.models[model]!;
    return { kind: "shape", values: { cause: "left-out", free: { gpus: needed, model: name }, leftOut }, needed };
  }
  return undefined;
}

/** What keeps a job off which nodes; undefined where it may use all. */
export function nodesLeftOut(state: ReadonlyState, { account, spec }: Job): NodesLeftOut | undefined {
  if (nodesAmong(state, account, spec) === undefined) return undefined;
  const out = countLeftOut(state, account, spec);
  const { engine = "", region = "", where = {} } = spec;
  const pools = [...out.pools].map(([name, nodes]) => ({ name, nodes }));
  const dear = [...out.dear].map(([name, nodes]) => ({ name, nodes }));
  const labels = [...out.labels].map(([key, nodes]) => ({ label: `${key}=${where[key]}`, nodes }));
  const engines = [...out.offers].map(([name, { nodes, lacks }]) => ({ name, nodes, lacks }));
  return {
    usable: out.among,
    account: accountOf(state, account).path,
    ...(out.engine > 0 && { engine: { name: engine, nodes: out.engine } }),
    ...(out.region > 0 && { region: { name: region, nodes: out.region } }),
    ...(labels.length > 0 && { labels }),
    ...(engines.length > 0 && { engines }),
    ...(pools.length > 0 && { pools }),
    ...(dear.length > 0 && { dear }),
  };
}
