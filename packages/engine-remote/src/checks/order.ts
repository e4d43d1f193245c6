import type { CheckAsk, LeaseOrder, Limits, StopOrder } from "@tessera/engine";
import { type Check, either, fields, flag, list, maybe, oneOf, table, text, whole } from "./check.ts";

/** A check for every field there is: a new field of the port does not compile without one. */
type ShapeOf<Value> = { readonly [Name in keyof Required<Value>]: Check };

const id = text(200);
const path = text(4_096);
const script = text(2 ** 20);
const gpus = list(id, 1_024);

const stopShape: ShapeOf<StopOrder> = { signal: text(32), graceMs: whole(), returns: maybe(flag) };
export const stopOrder = fields(stopShape);

const limitsShape: ShapeOf<Limits> = {
  cpusMilli: whole(),
  memoryMiB: whole(),
  shmMiB: maybe(whole()),
  scratchMiB: maybe(whole()),
  checkpointMiB: maybe(whole()),
  logMiB: maybe(whole()),
  processesMax: whole(),
  runMsMax: whole(),
};

const mount = either(
  fields({ at: path, tree: id }),
  fields({ at: path, folder: path, readOnly: flag }),
  fields({ at: path, claim: id, readOnly: flag }),
);

const orderShape: ShapeOf<LeaseOrder> = {
  lease: id,
  job: id,
  jobName: text(500),
  type: maybe(oneOf("train", "service", "notebook", "batch")),
  attempt: whole(),
  rank: whole(),
  size: whole(),
  node: id,
  gpuUuids: gpus,
  part: maybe(table(either(id, whole(), flag), 20)),
  scrub: maybe(fields({ gpuUuids: gpus, usualMs: whole() })),
  reshape: maybe(fields({ gpuUuids: gpus, to: id, usualMs: whole() })),
  gangNodes: list(id, 100_000),
  masterAddress: id,
  network: maybe(fields({ egress: oneOf("none", "declared", "all"), allow: maybe(list(text(300), 256)) })),
  pagePort: maybe(whole(65_535)),
  tenant: id,
  tenantTerms: maybe(
    fields({
      trust: oneOf("confidential", "untrusted", "trusted"),
      trustGroup: maybe(id),
      gpusMax: maybe(whole()),
      images: maybe(list(text(1_000), 1_000)),
    }),
  ),
  account: text(1_000),
  arrayIndex: maybe(whole()),
  arrayId: maybe(id),
  image: maybe(text(1_000)),
  workdir: maybe(path),
  inPlace: maybe(flag),
  code: maybe(either(fields({ tree: id }), fields({ git: fields({ url: text(2_000), ref: maybe(text(500)) }) }))),
  venv: maybe(fields({ path, optional: maybe(flag) })),
  setup: maybe(script),
  run: script,
  mounts: maybe(list(mount, 200)),
  checkpoint: maybe(flag),
  outputs: maybe(fields({ declared: maybe(table(path, 200)), bytesMax: whole() })),
  env: table(script, 2_000),
  secrets: table(script, 500),
  sealedSecrets: maybe(table(fields({ row: text(500), value: script }), 500)),
  limits: fields(limitsShape),
  strict: flag,
  stop: stopOrder,
  epoch: whole(),
};
export const leaseOrder = fields(orderShape);

const checkShape: ShapeOf<Omit<CheckAsk, "signal">> = { names: maybe(list(id, 100)), gpuUuids: maybe(gpus) };
export const checkAsk = fields(checkShape);

export const nodeName = id;
export const leaseId = id;
export const jobId = id;
export const folderName = oneOf("work", "out", "checkpoint");
export const filePath = path;
export const logQuery = fields({ tail: maybe(whole()), sinceAt: maybe(whole()), follow: maybe(flag) });
const terminal = fields({ columns: whole(10_000), rows: whole(10_000), name: id });
export const entryAsk = either(
  fields({ kind: oneOf("exec"), command: script, terminal: maybe(terminal) }),
  fields({ kind: oneOf("port"), port: whole(65_535) }),
);
