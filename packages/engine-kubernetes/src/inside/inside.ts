import { createInterface } from "node:readline";
import { type KeptOutput, type LeaseId, parseLeaseId } from "@tessera/core";
import {
  type Entry,
  type EntryAsk,
  EntryRefused,
  type FileContent,
  type FileEntry,
  type JobFolder,
  type LogLine,
  type LogQuery,
} from "@tessera/engine";
import type { ApiClient } from "../api/client.ts";
import { ApiError } from "../api/error.ts";
import { paths } from "../api/paths.ts";
import type { Pod } from "../api/types.ts";
import { memberContainer } from "../names.ts";
import type { KubernetesSettings } from "../settings.ts";

/** What the engine knows of its members, for what goes on inside them. */
export interface Members {
  /** The newest known state of its pod; undefined where there is none. */
  pod(lease: LeaseId): Pod | undefined;
  /** Calls back at each change of the pod of this lease, until the returned function is called. */
  watch(lease: LeaseId, onChange: () => void): () => void;
}

export interface InsidePorts {
  readonly client: ApiClient;
  readonly settings: KubernetesSettings;
  readonly members: Members;
  /** A folder for what is kept of members: logs, outputs. */
  readonly dir: string;
  /** The folder of the content store. */
  readonly content: string;
  readonly warn: (text: string) => void;
}

/** Everything that looks into members, and what is kept of them. */
export interface Inside {
  /** The container of this member has begun to run; also called for those that run when the engine opens. */
  started(lease: LeaseId, pod: Pod): void;
  /**
   * The member has ended, and its pod is still there: keeps its log and, where its job does not start again, its outputs.
   * Called before the end is reported, again after a crash; what it returns becomes part of the report.
   */
  keep(lease: LeaseId, pod: Pod): Promise<readonly KeptOutput[] | undefined>;
  logs(lease: LeaseId, query: LogQuery): AsyncIterable<LogLine>;
  /** Runs a command in the member as the member, and waits for it; used for signals. Throws EntryRefused. */
  open(lease: LeaseId, ask: EntryAsk): Promise<Entry>;
  ports(lease: LeaseId): Promise<readonly number[]>;
  files(lease: LeaseId, folder: JobFolder): AsyncIterable<FileEntry>;
  readFile(lease: LeaseId, folder: JobFolder, path: string, start: number): Promise<FileContent | undefined>;
  sweep(isLive: (job: string) => boolean): Promise<void>;
  close(): Promise<void>;
}

export function openInside({ client, members }: InsidePorts): Inside {
  const refuse = () => Promise.reject(new EntryRefused("members of this engine cannot be entered"));
  return {
    started() {},
    keep: () => Promise.resolve(undefined),
    logs: (lease, query) => logsOf(client, lease, members.pod(lease), query),
    open: refuse,
    ports: refuse,
    async *files() {},
    readFile: () => Promise.resolve(undefined),
    sweep: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}

async function* logsOf(
  client: ApiClient,
  lease: LeaseId,
  pod: Pod | undefined,
  { tail, sinceAt, follow, signal }: LogQuery,
): AsyncGenerator<LogLine> {
  if (pod === undefined) return;
  const rank = parseLeaseId(lease)?.rank ?? 0;
  const query = { container: memberContainer, timestamps: true, tailLines: tail, follow };
  const path = `${paths.pod(pod.metadata.namespace!, pod.metadata.name)}/log`;
  try {
    const answer = await client.stream(path, { query, ...(signal && { signal }) });
    for await (const line of createInterface({ input: answer })) {
      const cut = line.indexOf(" ");
      const at = Date.parse(line.slice(0, cut));
      if (sinceAt === undefined || at >= sinceAt) yield { at, rank, stream: "stdout", text: line.slice(cut + 1) };
    }
  } catch (error) {
    // A pod that has not started has no log yet, and one that is gone has none any more.
    if (!(error instanceof ApiError) && !signal?.aborted) throw error;
  }
}
