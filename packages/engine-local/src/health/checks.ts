import type { NodeFacts } from "@tessera/core";
import type { CheckAsk, CheckResult } from "@tessera/engine";
import { type CheckFile, ownChecks, readChecks } from "./check-files.ts";
import { runCheck } from "./run-check.ts";

interface Running {
  readonly gpuUuids: ReadonlySet<string>;
  readonly stop: AbortController;
  readonly done: Promise<unknown>;
}

/** Runs the checks of this machine, and ends those that are in the way of a job. */
export class Checks {
  readonly #folders: readonly string[];
  readonly #running = new Set<Running>();

  constructor(folder: string | undefined) {
    this.#folders = folder === undefined ? [ownChecks] : [ownChecks, folder];
  }

  /** `held` are GPUs of leases: they are left out, unless the asker names them. */
  async run(node: NodeFacts, ask: CheckAsk, held: ReadonlySet<string>): Promise<readonly CheckResult[]> {
    const checks = this.#chosen(ask.names);
    const asked = node.gpus.filter(({ uuid }) => ask.gpuUuids === undefined || ask.gpuUuids.includes(uuid));
    const busy = (uuid: string) => ask.gpuUuids === undefined && held.has(uuid);
    if (node.virtual) return checks.map((each) => skip(each, "its GPUs are declared: there is no hardware to check"));
    const stop = new AbortController();
    ask.signal?.addEventListener("abort", () => stop.abort(), { once: true });
    if (ask.signal?.aborted) stop.abort();
    const done = this.#runAll(checks, asked, busy, stop.signal);
    // The holder of the GPUs asked for it: its own work is not in the way.
    const mine = new Set(ask.gpuUuids === undefined ? asked.map(({ uuid }) => uuid) : []);
    const running: Running = { gpuUuids: mine, stop, done: done.catch(() => {}) };
    this.#running.add(running);
    try {
      return await done;
    } finally {
      this.#running.delete(running);
    }
  }

  /** A job gets these GPUs: what is being checked there is ended first. */
  async yieldTo(gpuUuids: readonly string[]): Promise<void> {
    const inTheWay = [...this.#running].filter((each) => gpuUuids.some((uuid) => each.gpuUuids.has(uuid)));
    for (const { stop } of inTheWay) stop.abort();
    await Promise.all(inTheWay.map(({ done }) => done));
  }

  async close(): Promise<void> {
    const all = [...this.#running];
    for (const { stop } of all) stop.abort();
    await Promise.all(all.map(({ done }) => done));
  }

  #chosen(names: readonly string[] | undefined): CheckFile[] {
    const all = readChecks(this.#folders);
    const unknown = names?.find((name) => !all.some((each) => each.name === name));
    if (unknown !== undefined)
      throw new Error(`there is no check ${unknown}; there are: ${all.map(({ name }) => name).join(", ")}`);
    return names === undefined ? all : all.filter(({ name }) => names.includes(name));
  }

  async #runAll(
    checks: readonly CheckFile[],
    gpus: NodeFacts["gpus"],
    isBusy: (uuid: string) => boolean,
    signal: AbortSignal,
  ): Promise<CheckResult[]> {
    const results: CheckResult[] = [];
    const free = gpus.filter(({ uuid }) => !isBusy(uuid));
    for (const check of checks) {
      if (check.scope === "node") {
        const [first] = gpus;
        if (first === undefined || free.length < gpus.length) results.push(skip(check, "jobs hold GPUs of the node"));
        else
          results.push(
            await one(
              check,
              first.model,
              free.map(({ uuid }) => uuid),
              signal,
            ),
          );
        continue;
      }
      for (const { uuid, model } of gpus)
        results.push({
          ...(isBusy(uuid) ? skip(check, "a job holds the GPU") : await one(check, model, [uuid], signal)),
          gpuUuid: uuid,
        });
    }
    return results;
  }
}

async function one(
  check: CheckFile,
  model: string,
  devices: readonly string[],
  signal: AbortSignal,
): Promise<CheckResult> {
  return { name: check.name, ...(await runCheck(check, { model, devices, signal })) };
}

function skip({ name }: CheckFile, text: string): CheckResult {
  return { name, result: "skipped", text, ms: 0 };
}
