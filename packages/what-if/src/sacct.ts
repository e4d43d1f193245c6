import {
  type AccountId,
  type Command,
  type CommandInput,
  emptyState,
  isRefusal,
  type JobId,
  type JobSpec,
  type OperationId,
  parseJob,
  plainTerms,
  type UserId,
  writeSnapshot,
} from "@tessera/core";
import { alikeNodes, BadInput, mean, quantile, type SacctJob, sum } from "@tessera/sim";
import type { Figures } from "./compare.ts";
import type { History } from "./history.ts";

/** The past of a Slurm cluster as Tessera would have been told of it: its accounts without any guarantee, side by side. */
export function sacctHistory(jobs: readonly SacctJob[], fleet: string): { history: History; recorded: Figures } {
  const { nodes, gpus } = fleetOf(fleet);
  const from = jobs.reduce((first, { submitAt }) => Math.min(first, submitAt), Number.POSITIVE_INFINITY);
  const to = jobs.reduce((last, { startedAt, runMs }) => Math.max(last, startedAt + runMs), 0);
  const accounts = [...new Set(jobs.map(({ account }) => account))].sort();
  const founding: Command[] = [
    { kind: "node.register", nodes: alikeNodes(nodes, gpus) },
    ...accounts.map(
      (path, i) => ({ kind: "account.create", id: `acc_${i}` as AccountId, path, terms: plainTerms }) as const,
    ),
  ];
  const submissions = jobs.map((job) => ({ at: job.submitAt, command: submitOf(job) }));
  const commands = [...founding.map((command) => ({ at: from, command })), ...submissions];
  const history: History = {
    from,
    to,
    snapshot: writeSnapshot(emptyState()),
    commands: commands.map(({ at, command }, i) => ({ at, input: inputOf(command, i) })),
    ends: new Map(jobs.map((job) => [idOf(job), [{ runMs: job.runMs, code: 0 }]])),
    saved: new Map(),
    startMs: 0,
    handoverMs: { scrub: undefined, reshape: undefined },
    leaves: new Map(),
    leaveMs: undefined,
  };
  return { history, recorded: recordedFigures(jobs) };
}

function fleetOf(text: string): { nodes: number; gpus: number } {
  const match = /^(\d{1,6})x(\d{1,3})$/.exec(text);
  if (match === null) throw new BadInput(`--fleet ${text}: write NODESxGPUS, for example 16x8`);
  return { nodes: Number(match[1]), gpus: Number(match[2]) };
}

function submitOf(job: SacctJob): Command {
  return {
    kind: "job.submit",
    id: idOf(job),
    account: job.account,
    user: `usr_${job.user}` as UserId,
    spec: specOf(job),
    endedBefore: [],
  };
}

function specOf({ name, gpus, nodes, limitMs }: SacctJob): JobSpec {
  const spec = parseJob(
    {
      run: "sacct",
      gpus: Math.ceil(gpus / nodes),
      ...(nodes > 1 && { nodes }),
      ...(limitMs !== undefined && limitMs > 0 && { max_time: `${limitMs}ms` }),
    },
    { after: [] },
  );
  if (isRefusal(spec)) throw new BadInput(`job ${name}: ${spec.field} ${spec.value}: ${spec.detail}`);
  return spec;
}

function idOf({ name }: SacctJob): JobId {
  return `job_${name}` as JobId;
}

function inputOf(command: Command, i: number): CommandInput {
  const op = `op_${i}` as OperationId;
  return { kind: "command", v: 1, op, actor: { user: "system" }, request: op, command };
}

function recordedFigures(jobs: readonly SacctJob[]): Figures {
  const waits = jobs.map(({ startedAt, submitAt }) => startedAt - submitAt);
  return {
    jobs: jobs.length,
    started: jobs.length,
    waitMsMean: mean(waits),
    waitMsP50: quantile(waits, 0.5),
    waitMsP90: quantile(waits, 0.9),
    evictions: 0,
    lostGpuMs: 0,
    heldGpuMs: sum(jobs.map(({ gpus, runMs }) => gpus * runMs)),
  };
}
