import { chmod, mkdtemp, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type JobId, type LeaseId, leaseIdOf, type Report, type ReportWhat } from "@tessera/core";
import type { Engine, LeaseOrder, LogLine, LogQuery } from "@tessera/engine";
import { openLocalEngine } from "./open.ts";
import type { LocalEngineOptions } from "./options.ts";

let jobs = 0;

/** An order that runs `run` with nothing special about it. */
export function orderOf(run: string, changes: Partial<LeaseOrder> = {}): LeaseOrder {
  jobs += 1;
  const job = (changes.job ?? `job_${process.pid}x${jobs}`) as JobId;
  return {
    lease: leaseIdOf(job, 1, 0),
    job,
    jobName: "test",
    attempt: 1,
    rank: 0,
    size: 1,
    node: "virtual-0",
    gpuUuids: [],
    gangNodes: ["virtual-0"],
    masterAddress: "127.0.0.1",
    tenant: "acc_lab",
    account: "lab/vision",
    run,
    env: {},
    secrets: {},
    limits: { cpusMilli: 0, memoryMiB: 0, processesMax: 0, runMsMax: 0 },
    strict: false,
    stop: { signal: "SIGTERM", graceMs: 5_000 },
    epoch: 1,
    ...changes,
  };
}

const endings = new WeakMap<TestContext, (() => Promise<void>)[]>();

/** Like `t.after`, but what was set up last is taken down first. */
export function atEnd(t: TestContext, act: () => Promise<void>): void {
  const acts = endings.get(t) ?? [];
  if (acts.length === 0) {
    t.after(async () => {
      for (const ending of acts.reverse()) await ending();
    });
  }
  acts.push(act);
  endings.set(t, acts);
}

export async function temporaryFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tessera-local-"));
  atEnd(t, () => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** A folder that jobs see under its own name and may enter: temporary folders are others for them. */
export async function visibleFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(process.getuid?.() === 0 ? "/srv" : homedir(), "tessera-visible-"));
  await chmod(folder, 0o755);
  atEnd(t, () => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** An engine with the reports it gave, and what a test does with it most. */
export interface Bench {
  readonly engine: Engine;
  readonly dir: string;
  readonly reports: Report[];
  /** Waits until the lease has a report of this kind, then gives it. */
  until<Kind extends ReportWhat["kind"]>(lease: LeaseId, kind: Kind): Promise<Extract<ReportWhat, { kind: Kind }>>;
  /** Binds, releases and waits for the end. */
  run(order: LeaseOrder): Promise<Extract<ReportWhat, { kind: "exited" }>>;
  /** Binds and releases, and waits until the member has printed `text`. */
  start(order: LeaseOrder, text: string): Promise<void>;
  /** Waits until the log of a live member contains `text`. */
  untilPrinted(lease: LeaseId, text: string): Promise<void>;
  lines(lease: LeaseId, query?: LogQuery): Promise<LogLine[]>;
  text(lease: LeaseId): Promise<string>;
}

/** Opens an engine on `dir` (or a folder of its own) and stops everything it runs when the test ends. */
export async function openBench(
  t: TestContext,
  options: Partial<LocalEngineOptions> = {},
  ...rest: Parameters<typeof openLocalEngine> extends [unknown, ...infer Rest] ? Rest : never
): Promise<Bench> {
  const dir = options.dir ?? (await temporaryFolder(t));
  return benchOf(t, await openLocalEngine({ virtual: "2x8:H100", ...options, dir }, ...rest), dir);
}

/** The same around an engine that is open. */
export function benchOf(t: TestContext, engine: Engine, dir: string): Bench {
  const reports: Report[] = [];
  let wake: () => void = () => {};
  engine.subscribe((report) => {
    reports.push(report);
    wake();
  });
  const bench: Bench = {
    engine,
    dir,
    reports,
    async until(lease, kind) {
      for (;;) {
        const found = reports.find((report) => report.lease === lease && report.what.kind === kind);
        if (found !== undefined) return found.what as never;
        const end = reports.find((report) => report.lease === lease && endKinds.has(report.what.kind));
        if (end !== undefined) throw new Error(`${lease}: ${kind} expected, but it is ${JSON.stringify(end.what)}`);
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    async run(order) {
      await engine.bind(order);
      await bench.until(order.lease, "prepared");
      await engine.release(order.lease);
      return bench.until(order.lease, "exited");
    },
    async start(order, text) {
      await engine.bind(order);
      await bench.until(order.lease, "prepared");
      await engine.release(order.lease);
      await bench.untilPrinted(order.lease, text);
    },
    async untilPrinted(lease, text) {
      while (!(await bench.text(lease)).includes(text)) {
        const end = reports.find((report) => report.lease === lease && endKinds.has(report.what.kind));
        if (end !== undefined) throw new Error(`${lease} never printed ${text}: it is ${JSON.stringify(end.what)}`);
        await sleep(10);
      }
    },
    async lines(lease, query = {}) {
      const lines: LogLine[] = [];
      for await (const line of engine.logs(lease, query)) lines.push(line);
      return lines;
    },
    async text(lease) {
      return (await bench.lines(lease)).map((line) => line.text).join("\n");
    },
  };
  atEnd(t, async () => {
    await stopAll(engine);
    await engine.close();
  });
  return bench;
}

const endKinds = new Set(["exited", "lost", "refused"]);

/** Ends every member that is left, and waits until they are gone. */
export async function stopAll(engine: Engine): Promise<void> {
  for (const { lease, state } of await engine.list()) {
    if (state !== "gone") await engine.stop(lease, { signal: "SIGKILL", graceMs: 0 });
  }
  while ((await engine.list()).some(({ state }) => state !== "gone")) await sleep(20);
}
