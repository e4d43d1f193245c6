/** How much is written to standard error: nothing, what went wrong, or every request. */
export type LogLevel = "silent" | "error" | "request";

/** One JSON object a line. Only what is named here is ever written: no headers, no bodies, no query strings. */
export interface LogRecord {
  readonly level: "error" | "info";
  readonly requestId: string;
  readonly route: string;
  readonly message: string;
  readonly status?: number;
  readonly ms?: number;
}

export type Log = (record: LogRecord) => void;

export function logTo(write: (line: string) => void, level: LogLevel): Log {
  if (level === "silent") return () => {};
  return (record) => {
    if (record.level === "info" && level !== "request") return;
    write(`${JSON.stringify({ at: new Date().toISOString(), ...record })}\n`);
  };
}
