/** Something that the log of an MPS server says. */
export type LogEvent = { readonly kind: "client"; readonly pid: number } | { readonly kind: "fault" };

/**
 * What whole lines of the log say; lines of other kinds say nothing here. The wording differs between drivers. Lines about a
 * fault name processes, and not reliably the one that caused it.
 */
export function parseServerLog(text: string): LogEvent[] {
  return text.split("\n").flatMap((line): LogEvent[] => {
    const said = /^\[[^\]]* Server +\d+\] (.*)$/.exec(line)?.[1];
    if (said === undefined) return [];
    if (/fatal (GPU |device )?(error|exception|fault)|\bFAULT\b/i.test(said)) return [{ kind: "fault" }];
    const joined = /\bis ACTIVE\b|^(New c|C)lient .*\bconnected\b/.test(said);
    // As `{PID: 701, Context ID: 1}`, `{701, 1}` or a bare number, by driver.
    const pid = /[Cc]lient \{?(?:PID: )?(\d+)/.exec(said)?.[1];
    return joined && pid !== undefined ? [{ kind: "client", pid: Number(pid) }] : [];
  });
}

/** The process of the server that wrote the last line. */
export function serverPidIn(text: string): number | undefined {
  const pids = [...text.matchAll(/^\[[^\]]* Server +(\d+)\] /gm)];
  const last = pids.at(-1)?.[1];
  return last === undefined ? undefined : Number(last);
}
