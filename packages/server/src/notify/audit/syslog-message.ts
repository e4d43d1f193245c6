import type { AuditRecord } from "./record.ts";

/** Where messages come from. */
export interface SyslogSource {
  readonly host: string;
  readonly pid: number;
}

/** Facility 13, "log audit". */
const facility = 13;
const [warning, informational] = [4, 6];
/** RFC 5612 keeps this number for those who have none of their own. */
const elementId = "tessera@32473";
/** Receivers take 8,192 bytes of a message (RFC 5425), so the longest texts are cut. */
const valueLengthMax = 400;
const textLengthMax = 1_000;

const params = [
  "id",
  "actor",
  "actorName",
  "token",
  "request",
  "target",
  "account",
  "outcome",
  "origin",
  "address",
  "count",
] as const satisfies readonly (keyof AuditRecord)[];

/** A record as RFC 5424 has it: its fields as structured data, and a sentence for people. */
export function syslogMessage(record: AuditRecord, { host, pid }: SyslogSource): string {
  const { at, action, actor, target, outcome, detail } = record;
  const severity = outcome === "refused" || outcome === "failed" ? warning : informational;
  const header = [
    `<${facility * 8 + severity}>1`,
    at,
    nameOf(host, 255),
    "tessera",
    nameOf(String(pid), 128),
    nameOf(action, 32),
  ].join(" ");
  const fields = params.flatMap((name) => {
    const value = record[name];
    return value === undefined || value === "" ? [] : [`${name}="${paramValue(String(value))}"`];
  });
  const text = [actor, action, target, outcome].filter((word) => word !== "").join(" ");
  const sentence = cut(plain(detail === "" ? text : `${text}: ${detail}`), textLengthMax);
  return `${header} [${[elementId, ...fields].join(" ")}] \uFEFF${sentence}`;
}

/** A message in a stream: its length in bytes comes first (octet counting, RFC 5425). */
export function frame(message: string): Buffer {
  const bytes = Buffer.from(message, "utf8");
  return Buffer.concat([Buffer.from(`${bytes.length} `), bytes]);
}

/** A field of the header: visible ASCII; `-` where nothing is left. */
function nameOf(text: string, lengthMax: number): string {
  return text.replaceAll(/[^\x21-\x7e]/g, "_").slice(0, lengthMax) || "-";
}

/** Three characters end a value or the element, so they are escaped; nothing else may be. */
function paramValue(text: string): string {
  return cut(plain(text), valueLengthMax).replaceAll(/["\\\]]/g, (char) => `\\${char}`);
}

/** Control characters as their number in octal, as syslog daemons write them: no text can begin a line of its own. */
function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  const controls = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;
  return text.toWellFormed().replaceAll(controls, (char) => `#${char.charCodeAt(0).toString(8).padStart(3, "0")}`);
}

/** Never in the middle of a character. */
function cut(text: string, lengthMax: number): string {
  return text.length <= lengthMax
    ? text
    : `${text
        .slice(0, lengthMax)
        .toWellFormed()
        .replace(/\ufffd$/, "")}…`;
}
