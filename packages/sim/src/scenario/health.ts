import type { Command, FindingSource, Instant } from "@tessera/core";
import { BadField, type FieldPath } from "./fields.ts";
import type { ScenarioFinding, StepInput } from "./scenario.ts";

const sources: Readonly<Record<FindingSource, true>> = {
  xid: true,
  ecc: true,
  remap: true,
  nvlink: true,
  throttle: true,
  bus: true,
  pcie: true,
  check: true,
};

/** A finding from text such as `xid 79` or `pcie width`. */
export function readFinding(value: unknown, at: FieldPath): ScenarioFinding {
  const [name, code, ...rest] = typeof value === "string" ? value.split(" ") : [];
  const source = (Object.keys(sources) as FindingSource[]).find((each) => each === name);
  if (source !== undefined && code !== undefined && code !== "" && rest.length === 0) return { source, code };
  throw new BadField(at, value, "is not a finding", "write its source and code, such as xid 79 or pcie width");
}

type HealthInput = Extract<StepInput, { kind: "finding" | "checks" }>;

export function healthCommand(input: HealthInput, now: Instant): Command {
  const { node } = input;
  if (input.kind === "checks") {
    const text = "the scenario says so";
    return { kind: "node.checked", node, results: [{ name: "all", result: input.result, text }] };
  }
  const { source, code, gpu } = input;
  const about = gpu === undefined ? {} : { gpuUuid: `GPU-${node}-${gpu}` };
  return { kind: "node.finding", node, at: now, source, code, text: "the scenario says so", ...about };
}
