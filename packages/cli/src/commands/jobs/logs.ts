import type { Job, QueryOf } from "@tessera/wire";
import type { Command } from "commander";
import { exit } from "../../exit.ts";
import { notFoundFailure, usageFailure } from "../../failure.ts";
import { examples } from "../../help.ts";
import type { Api } from "../../http.ts";
import { failedText } from "../../job/elements.ts";
import { exitCodeOfEnded } from "../../job/exit-code.ts";
import { findJob } from "../../job/find.ts";
import { followJob } from "../../job/follow.ts";
import { readLogLines } from "../../job/log-lines.ts";
import { logPrinter } from "../../job/log-printer.ts";
import type { Session } from "../../session.ts";
import { printable } from "../../terminal.ts";

interface LogFlags {
  readonly follow?: boolean;
  readonly tail?: string;
  readonly since?: string;
  readonly rank?: string;
  readonly allRanks?: boolean;
  readonly previous?: boolean;
  readonly attempt?: string;
}

export function define(command: Command, session: Session): void {
  command
    .description(
      "Shows the output of a job, all ranks together; lines of a gang begin with their [rank].\n" +
        "With -f it follows the job to its end and exits with the job's exit code.",
    )
    .argument("<job>", "name or id; an element of an array is NAME.INDEX")
    .option("-f, --follow", "keep running and show new lines")
    .option("--tail <lines>", "only the last lines")
    .option("--since <time>", "only lines since: 5m back from now, or ISO 8601")
    .option("--rank <rank>", "only this rank")
    .option("--all-ranks", "every rank, with the [rank] mark even if there is only one")
    .option("--previous", "the attempt before the last one")
    .option("--attempt <number>", "this attempt; the first is 1");
  examples(command, [
    "tess logs llama-ft",
    "tess logs -f llama-ft --tail 100",
    "tess logs llama-ft --rank 3 --since 5m",
    "tess logs llama-ft --attempt 1",
  ]);
  command.action((name: string, flags: LogFlags) => logs(session, name, flags));
}

async function logs(session: Session, name: string, flags: LogFlags): Promise<void> {
  if (flags.rank !== undefined && flags.allRanks)
    throw usageFailure("--rank and --all-ranks cannot be used together", "give one of them");
  if (flags.previous && flags.attempt !== undefined)
    throw usageFailure("--previous and --attempt cannot be used together", "give one of them");
  if (flags.previous && flags.follow)
    throw usageFailure(
      "--previous and --follow cannot be used together: the previous attempt has ended",
      "leave --follow out",
    );
  if (flags.attempt !== undefined && flags.follow)
    throw usageFailure("--attempt and --follow cannot be used together", "leave --attempt out to follow the last one");
  const query = {
    ...wholeNumber("rank", flags.rank),
    ...wholeNumber("tail", flags.tail),
    ...wholeNumber("attempt", flags.attempt),
    ...(flags.since !== undefined && { since: flags.since }),
  };
  const api = await session.api();
  const job = await findJob(api, name);
  if (job.elements !== undefined) {
    const { failedIndexes: [first] = [], size } = job.elements;
    const failed = failedText(job.elements);
    const hint = `name an element, such as ${name}.${first ?? 1}${failed === undefined ? "" : `; ${failed}`}`;
    throw usageFailure(`${job.name} is an array of ${size} and has no log of its own`, hint);
  }
  if (flags.follow) session.exitCode = await follow(session, api, job, query, flags);
  else await readOnce(session, api, job, { ...query, ...(flags.previous && { attempt: previousOf(job) }) }, flags);
}

async function readOnce(
  session: Session,
  api: Api,
  job: Job,
  query: QueryOf<"readLogs">,
  flags: LogFlags,
): Promise<void> {
  const print = logPrinter(session, { prefix: flags.allRanks === true });
  let lines = 0;
  for await (const entry of readLogLines(api, job.id, query)) {
    lines += 1;
    await print(entry, job);
  }
  if (lines === 0) await session.note(emptyText(job, query));
}

/** Why there is nothing to show. */
function emptyText(job: Job, { attempt, tail, since, rank }: QueryOf<"readLogs">): string {
  const name = printable(job.name);
  const part = attempt !== undefined || tail !== undefined || since !== undefined || rank !== undefined;
  if (!part && job.state === "waiting" && job.attempt <= 1) {
    const why = job.reason === undefined ? "" : `: ${printable(job.reason.detail)}`;
    return `${name} waits and has not written anything${why}\n  tess explain ${name} says more; tess logs -f ${name} waits with it`;
  }
  if (!part && job.state === "starting") return `${name} is starting and has not written anything yet`;
  return `${name} has not written anything${part ? " that was asked for" : job.state === "ended" ? "" : " yet"}`;
}

async function follow(
  session: Session,
  api: Api,
  job: Job,
  query: QueryOf<"readLogs">,
  flags: LogFlags,
): Promise<number> {
  const leave = new AbortController();
  const release = session.terminal.onInterrupt(() => leave.abort());
  try {
    const last = await followJob(api, job, {
      signal: leave.signal,
      onLine: logPrinter(session, { prefix: flags.allRanks === true }),
      logs: query,
      note: (text) => void session.note(text),
    });
    return last === undefined ? exit.interrupted : await exitCodeOfEnded(api, last);
  } finally {
    release();
  }
}

function previousOf(job: Job): number {
  const last = job.state === "waiting" ? job.attempt - 1 : job.attempt;
  if (last > 1) return last - 1;
  throw notFoundFailure(`${job.name} has no attempt before the last one`);
}

function wholeNumber<Name extends string>(name: Name, text: string | undefined): { [Key in Name]?: number } {
  if (text === undefined) return {};
  if (!/^\d{1,9}$/.test(text)) throw usageFailure(`--${name} must be a whole number, got "${text}"`);
  return { [name]: Number(text) } as { [Key in Name]?: number };
}
