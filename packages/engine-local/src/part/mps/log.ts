/** Something that the log of an MPS server says. */
export type LogEvent =
  | { readonly kind: "client"; readonly pid: number }
  /** A fatal fault, and the process that caused it where the log names one. */
  | { readonly kind: "fault"; readonly pid?: number };

/** What whole lines of the log say; lines of other kinds say nothing here. The wording differs between drivers. */
export function parseServerLog(text: string): LogEvent[] {
  return text.split("\n").flatMap((line): LogEvent[] => {
    const said = /^\[[^\]]* Server \d+\] (.*)$/.exec(line)?.[1];
    if (said === undefined) return [];
    const named = /[Cc]lient \{?(\d+)/.exec(said)?.[1];
    const pid = named === undefined ? undefined : Number(named);
    if (/fatal (GPU |device )?(error|exception|fault)|\bFAULT\b/i.test(said))
      return [{ kind: "fault", ...(pid !== undefined && { pid }) }];
    const joined = /\bis ACTIVE\b|^New client \d+ connected/.test(said);
    return joined && pid !== undefined ? [{ kind: "client", pid }] : [];
  });
}

/** The process of the server that wrote the last line. */
export function serverPidIn(text: string): number | undefined {
  const pids = [...text.matchAll(/^\[[^\]]* Server (\d+)\] /gm)];
  const last = pids.at(-1)?.[1];
  return last === undefined ? undefined : Number(last);
}
