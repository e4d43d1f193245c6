import { isAbsolute } from "node:path";
import { isLoopback } from "../../access/listen.ts";

/** Where audit records are sent. */
export type AuditTarget = FileTarget | SyslogTarget | HttpTarget;

interface Common {
  /** What it is called in warnings, metrics and the name of its cursor; nothing secret is in it. */
  readonly name: string;
  /** Names of people and addresses go out too, where they can no longer be erased from here. */
  readonly people: boolean;
}

export interface FileTarget extends Common {
  readonly kind: "file";
  readonly path: string;
  /** Above this size the file is put aside, and this many such files are kept. */
  readonly bytesMax: number;
  readonly keep: number;
}

export interface SyslogTarget extends Common {
  readonly kind: "syslog";
  readonly host: string;
  readonly port: number;
  /** Undefined for plain TCP. Files of certificates and keys. */
  readonly tls: { readonly ca?: string; readonly cert?: string; readonly key?: string } | undefined;
}

export interface HttpTarget extends Common {
  readonly kind: "http";
  readonly url: string;
  /** The file of a token that the collector asks for. */
  readonly tokenFile?: string;
}

export const targetForms =
  "file:/var/log/tessera/audit.jsonl, syslog+tls://logs.example.com:6514, syslog+tcp://127.0.0.1:601 or https://collector.example.com/path";

/** A target with its options after `#`, such as `file:/var/log/audit.jsonl#max-mb=100&keep=10`; a string says what is wrong. */
export function parseAuditTarget(text: string): AuditTarget | string {
  const [place = "", optionText = ""] = splitOnce(text, "#");
  if (/^file:(?!\/)/.test(place)) return "needs an absolute path of a file";
  const url = URL.parse(place);
  const form = url === null ? undefined : formats[url.protocol];
  if (url === null || form === undefined) return `is not a place to send the audit to; use ${targetForms}`;
  const options = new Map(new URLSearchParams(optionText));
  for (const name of options.keys()) {
    if (name === "people" || form.options.includes(name)) continue;
    return `has the option ${name}, which it does not know; after # it takes ${[...form.options, "people"].join(", ")}`;
  }
  const people = options.get("people") ?? "hidden";
  if (people !== "hidden" && people !== "shown") return `people=${people}: use shown or hidden`;
  return form.parse(url, options, people === "shown");
}

interface Format {
  readonly options: readonly string[];
  parse(url: URL, options: ReadonlyMap<string, string>, people: boolean): AuditTarget | string;
}

const https: Format = {
  options: ["token-file"],
  parse(url, options, people) {
    if (url.protocol === "http:" && !isLoopback(hostOf(url)))
      return "would carry the audit over a network in clear text; use https://";
    if (url.username !== "" || url.password !== "") return "has a password in it; use token-file=FILE after #";
    const tokenFile = options.get("token-file");
    const name = `${url.origin}${url.pathname}`;
    return { kind: "http", name, people, url: url.href, ...(tokenFile !== undefined && { tokenFile }) };
  },
};

const formats: Readonly<Record<string, Format>> = {
  "file:": {
    options: ["max-mb", "keep"],
    parse(url, options, people) {
      const path = decodeURIComponent(url.pathname);
      if (url.host !== "" || !isAbsolute(path) || path.endsWith("/")) return "needs an absolute path of a file";
      const megabytes = wholeNumber(options.get("max-mb") ?? "100", 1, 100_000);
      const keep = wholeNumber(options.get("keep") ?? "10", 1, 1_000);
      if (megabytes === undefined) return `max-mb=${options.get("max-mb")}: use 1 to 100000`;
      if (keep === undefined) return `keep=${options.get("keep")}: use 1 to 1000`;
      return { kind: "file", name: `file:${path}`, people, path, bytesMax: megabytes * 1_000_000, keep };
    },
  },
  "syslog+tls:": {
    options: ["ca", "cert", "key"],
    parse(url, options, people) {
      const [host, port] = [hostOf(url), Number(url.port || "6514")];
      if (host === "") return "needs the name of a host, such as syslog+tls://logs.example.com:6514";
      if (options.has("cert") !== options.has("key")) return "needs cert and key together";
      const name = `syslog+tls://${url.hostname}:${port}`;
      return { kind: "syslog", name, people, host, port, tls: Object.fromEntries(options) };
    },
  },
  "syslog+tcp:": {
    options: [],
    parse(url, _, people) {
      const [host, port] = [hostOf(url), Number(url.port || "601")];
      if (!isLoopback(host)) return "would carry the audit over a network in clear text; use syslog+tls://";
      return { kind: "syslog", name: `syslog+tcp://${url.hostname}:${port}`, people, host, port, tls: undefined };
    },
  },
  "https:": https,
  "http:": https,
};

/** IPv6 without its brackets. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, "$1");
}

function splitOnce(text: string, mark: string): string[] {
  const at = text.indexOf(mark);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function wholeNumber(text: string, min: number, max: number): number | undefined {
  const value = Number(text);
  return /^\d{1,9}$/.test(text) && value >= min && value <= max ? value : undefined;
}
