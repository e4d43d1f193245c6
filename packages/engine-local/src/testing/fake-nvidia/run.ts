import { type Answer, busIdOf, codes, fail, say } from "./answer.ts";
import { createInstances, destroyInstances } from "./instances.ts";
import { describe, list, listInstances } from "./lists.ts";
import type { FakeDriver, FakeGpu } from "./state.ts";

/** Answers one command as the recorded tool did. One that it does not know ends with 2, so that no test rests on it. */
export function answer(driver: FakeDriver, args: readonly string[]): Answer {
  driver.commands.push(args.join(" "));
  const wordAfter = (option: string) => (args.includes(option) ? args[args.indexOf(option) + 1] : undefined);
  const named = wordAfter("-i");
  const indexes = [...driver.gpus.keys()].filter((index) => {
    const { uuid } = driver.gpus[index]!;
    return named === undefined || named === uuid || named === String(index);
  });
  const meant = indexes.map((index) => [index, driver.gpus[index]!] as const);
  if (meant.length === 0) return fail(codes.notFound, "No devices were found");
  if (args[0] === "mig") {
    const gi = wordAfter("-gi") === undefined ? undefined : Number(wordAfter("-gi"));
    const names = wordAfter("-cgi")?.split(",");
    if (args.includes("-lgi")) return listInstances(meant, "GPU");
    if (args.includes("-lci")) return listInstances(meant, "compute");
    if (names !== undefined) return createInstances(driver, indexes[0]!, names, args.includes("-C"));
    if (args.includes("-dci")) return destroyInstances(driver, indexes[0]!, "compute", gi);
    if (args.includes("-dgi")) return destroyInstances(driver, indexes[0]!, "GPU", gi);
  }
  const mode = wordAfter("-mig");
  if (mode !== undefined) return switchMode(driver, meant[0]![1], mode === "1");
  if (args.includes("--gpu-reset")) return reset(driver, meant[0]![1]);
  if (args.includes("-L")) return list(driver);
  if (args.includes("-q") && args.includes("-x"))
    return describe(
      driver,
      meant.map(([, gpu]) => gpu),
    );
  const query = args.find((word) => /^--query-(gpu|compute-apps)=/.test(word));
  if (query !== undefined) return answerQuery(driver, meant, query, wordAfter("--format") ?? args.join(" "));
  return fail(2, `Option "${args.join(" ")}" is not recognized.`);
}

function switchMode(driver: FakeDriver, gpu: FakeGpu, on: boolean): Answer {
  const [verb, done] = on ? ["enable", "Enabled"] : ["disable", "Disabled"];
  const used = driver.processes.some(({ gpu: uuid }) => uuid === gpu.uuid) || (!on && gpu.instances.length > 0);
  if (used && gpu.mig !== on) {
    const what = `Unable to ${verb} MIG Mode for GPU ${busIdOf(gpu)}: In use by another client`;
    return fail(codes.inUse, what, "Terminating early due to previous errors.");
  }
  if (driver.faults.pending) {
    gpu.fields = { ...gpu.fields, "mig.mode.pending": done! };
    return say(`Warning: MIG mode is in pending ${verb} state for GPU ${busIdOf(gpu)}:Not Supported`, "All done.");
  }
  gpu.mig = on;
  return say(`${done} MIG Mode for GPU ${busIdOf(gpu)}`, "All done.");
}

function reset({ faults, processes }: FakeDriver, gpu: FakeGpu): Answer {
  if (faults.reset !== undefined) return fail(codes.unsupported, faults.reset);
  if (processes.some(({ gpu: uuid }) => uuid === gpu.uuid)) {
    const what = `The following GPUs could not be reset:\n  GPU ${busIdOf(gpu)}: In use by another client`;
    return fail(codes.inUse, what);
  }
  gpu.instances = [];
  return say(`GPU ${busIdOf(gpu)} was successfully reset.`, "All done.");
}

function answerQuery(
  driver: FakeDriver,
  meant: readonly (readonly [number, FakeGpu])[],
  query: string,
  format: string,
): Answer {
  const [kind = "", list = ""] = query.split("=");
  const fields = list.split(",");
  const unit = (value: number, name: string) => (format.includes("nounits") ? String(value) : `${value} ${name}`);
  const rows =
    kind === "--query-gpu"
      ? meant.map(([index, gpu]) => fields.map((field) => gpuField(driver, index, gpu, field, unit)))
      : driver.processes
          .filter(({ gpu }) => meant.some(([, { uuid }]) => uuid === gpu))
          .map((each) =>
            fields.map((field) => {
              if (field === "gpu_uuid") return each.gpu;
              if (field === "pid") return String(each.pid);
              return field === "process_name" ? each.name : unit(each.memoryMiB, "MiB");
            }),
          );
  const header = fields.map((field) => (field === "used_memory" ? "used_gpu_memory [MiB]" : field)).join(", ");
  return say(...(format.includes("noheader") ? [] : [header]), ...rows.map((cells) => cells.join(", ")));
}

function gpuField(
  { processes }: FakeDriver,
  index: number,
  gpu: FakeGpu,
  field: string,
  unit: (value: number, name: string) => string,
): string {
  const own = gpu.fields?.[field];
  if (own !== undefined) return own;
  const used = processes.filter(({ gpu: uuid }) => uuid === gpu.uuid).reduce((sum, each) => sum + each.memoryMiB, 0);
  const known: { readonly [name: string]: string } = {
    index: String(index),
    uuid: gpu.uuid,
    name: gpu.product,
    "pci.bus_id": busIdOf(gpu),
    "memory.total": unit(gpu.memoryMiB, "MiB"),
    "memory.used": unit(used, "MiB"),
    "mig.mode.current": gpu.mig ? "Enabled" : "Disabled",
    "mig.mode.pending": gpu.mig ? "Enabled" : "Disabled",
  };
  return known[field] ?? "[N/A]";
}
