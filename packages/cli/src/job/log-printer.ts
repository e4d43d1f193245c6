import type { Job, LogEntry } from "@tessera/wire";
import type { Session } from "../session.ts";
import { printableLog, type Style } from "../terminal.ts";
import { gangSize } from "./state.ts";

export interface LogStyle {
  /** Write `[rank]` in front also when there is only one. */
  readonly prefix?: boolean;
  /** Send what the job wrote to stderr there; otherwise everything goes to stdout. */
  readonly split?: boolean;
}

const rankStyles: readonly Style[] = ["cyan", "yellow", "green", "magenta", "blue", "red"];

/** Prints log lines, each rank in its own colour: to a terminal only what is safe there, to a file as the job wrote them. */
export function logPrinter(session: Session, { prefix, split }: LogStyle) {
  return async (entry: LogEntry, job: Job): Promise<void> => {
    if (session.format === "json") return session.print(`${JSON.stringify(entry)}\n`);
    const aside = split && entry.stream !== "stdout";
    const paint = aside ? session.paintNote : session.paint;
    const rank =
      prefix || gangSize(job) > 1 ? `${paint(rankStyles[entry.rank % rankStyles.length]!, `[${entry.rank}]`)} ` : "";
    const sink = aside ? session.terminal.stderr : session.terminal.stdout;
    const written = entry.text.replace(/\r?\n$/, "");
    const text = sink.isTTY ? printableLog(written) : written;
    await sink.write(`${rank}${entry.stream === "tessera" ? paint("dim", text) : text}\n`);
  };
}
