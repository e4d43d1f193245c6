import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { checkLabels, isRefusal, type NodeFacts, parseDuration } from "@tessera/core";
import { bytesMaxLeast, type TelemetrySettings, usualSettings } from "@tessera/telemetry";
import { checkListen } from "./access/listen.ts";
import type { MasterPlace } from "./access/ring/place.ts";
import type { RemoteWriteSettings } from "./flow/telemetry/remote-write.ts";
import { type AuditTarget, parseAuditTarget } from "./notify/audit/target.ts";
import type { StoreConfig } from "./store/config.ts";

export interface ServerConfig {
  readonly data: string;
  readonly host: string;
  readonly port: number;
  readonly store:
    | { readonly dir: string }
    | { readonly url: string; readonly leaseMs: number; readonly headFile: string };
  readonly virtual?: string;
  /** The address of a DCGM exporter on this machine. */
  readonly dcgm?: string;
  /** The owner lets jobs of several tenants run as the server's own user. */
  readonly tenantsShareUser: boolean;
  readonly simulated?: string;
  /** False: no jobs run on this machine. */
  readonly local: boolean;
  /** Of the nodes of this machine. */
  readonly labels: NonNullable<NodeFacts["labels"]>;
  /** A folder of the owner's own checks of GPUs. */
  readonly checks?: string;
  /** The file that names further engines. */
  readonly engines?: string;
  /** The socket of a root helper, which then runs the jobs and holds the keys of secrets and signatures. */
  readonly helper?: string;
  readonly tls?: { readonly cert: string; readonly key: string };
  readonly snapshotEveryEvents: number;
  readonly freeBytesMin: number;
  readonly telemetry: TelemetrySettings & { readonly everyMs: number };
  /** A domain of its own for pages of jobs. */
  readonly appsDomain?: string;
  /** Further names under which clients reach it. */
  readonly serverNames: readonly string[];
  /** The master key, where it is not in the data folder. */
  readonly master?: MasterPlace;
  /** The owner declares that the secrets in the store are lost. */
  readonly secretsLost: boolean;
  /** The owner goes on with a damaged store. */
  readonly despiteDamage: boolean;
  /** The URL that budget and invoice events are sent to. */
  readonly webhook?: string;
  readonly remoteWrite?: RemoteWriteSettings;
  /** Where audit records are sent. */
  readonly auditTo: readonly AuditTarget[];
}

export const defaultPort = 7437;
const mebibyte = 1024 * 1024;

export const usage = `tess server: the control plane on this machine

  --data DIR           folder of the journal, keys, logs and work folders (default: .tessera of the clone; TESSERA_DATA)
  --host ADDRESS       address to listen on (default 127.0.0.1)
  --port N             port to listen on (default ${defaultPort}; 0 = any free port; TESSERA_PORT)
  --database URL       a PostgreSQL instead of the embedded store (TESSERA_DATABASE_URL)
  --lease-seconds N    with PostgreSQL: seconds after which another server may take over (default 12)
  --virtual SPEC       present this machine as nodes of virtual GPUs, such as 4x8:H100 or 2x8:H100+mig,1x4:L40S
  --helper FILE        let the root helper behind this socket run the jobs; this server then needs no privileges
  --simulated SPEC     a simulated fleet, such as 6250x8:H100, for demonstrations and measurements
  --checks DIR         further checks of GPUs: scripts, and thresholds.json; see docs/operations.md
  --engines FILE       run jobs on the engines that this YAML file lists too; see docs/kubernetes.md
  --no-local           run no jobs on this machine
  --label KEY=VALUE    a label of the nodes of this machine, by which jobs and pools choose nodes; may be repeated
  --dcgm URL           the DCGM exporter of this machine, which is asked what its GPUs do: http://127.0.0.1:9400/metrics
  --tenants-share-user without root: run jobs of several tenants, which can then read each other's files
  --tls-cert FILE --tls-key FILE
  --server-name NAME   answer under this name too, such as that of a proxy; may be repeated. Addresses, localhost, the
                       machine's name and the names in the certificate always work
  --insecure-listen    listen beyond loopback without TLS, for use behind a proxy that does TLS
  --webhook URL        send budget and invoice events to this address, signed with keys/webhook.key (TESSERA_WEBHOOK)
  --audit-to TARGET    send every audit record there too, at least once; may be repeated (TESSERA_AUDIT_TO, several with spaces):
                       file:/PATH, syslog+tls://HOST:6514, syslog+tcp://127.0.0.1:601, https://HOST/PATH; see docs/operations.md
  --apps-domain NAME   serve pages of jobs at names below this domain, such as apps.example.com (default: localhost)
  --telemetry-every SECONDS
                       how often GPUs are sampled (default 10)
  --telemetry-size MB  what samples may take on the disk at most; the oldest go first (default 4096)
  --telemetry-keep RAW,MINUTES,HOURS
                       how long every sample, means of minutes and means of hours are kept (default 6h,14d,400d)
  --remote-write URL   send samples there too, by Prometheus remote write (TESSERA_REMOTE_WRITE; a header with a secret, such as
                       "Authorization: Bearer …", in TESSERA_REMOTE_WRITE_HEADER)
  --free-space-min MB  refuse new work when less disk space than this is free (default 256)
  --master-key FILE    the key that wraps the data keys, apart from the data folder (default keys/master.key in it; TESSERA_MASTER_KEY)
  --key-service URL --key-service-token FILE
                       let this service wrap the data keys instead; see docs/key-service.md (TESSERA_KEY_SERVICE, TESSERA_KEY_SERVICE_TOKEN_FILE)
  --despite-damage     start although the store is damaged; the journal says so
  --secrets-lost       start although keys/secrets.key is lost: deletes the values of all secrets and the credentials of engines

Example: tess server --virtual 4x8:H100 --port 0`;

/** A mistake in how the server was called; shown without a stack. */
export class BadCall extends Error {}

/** Where the store is that these flags, else the environment, name. */
function storeOf(
  { data, database }: { readonly data?: string | undefined; readonly database?: string | undefined },
  env: NodeJS.ProcessEnv,
): { readonly dir: string } | { readonly url: string } {
  const url = database ?? env.TESSERA_DATABASE_URL;
  return url === undefined ? { dir: `${dataOf(data, env)}/store` } : { url };
}

/** Where a store is, and what opens it where it is sealed. */
export function storePlaceOf(
  named: { readonly data?: string | undefined; readonly database?: string | undefined },
  env: NodeJS.ProcessEnv,
): Pick<ServerConfig, "data" | "master"> & { readonly store: StoreConfig } {
  const master = masterOf({}, env);
  return { data: dataOf(named.data, env), store: storeOf(named, env), ...(master !== undefined && { master }) };
}

/** The data folder that a flag, else the environment, names; else that of the clone. */
export function dataOf(data: string | undefined, env: NodeJS.ProcessEnv): string {
  return resolve(data ?? env.TESSERA_DATA ?? `${env.TESSERA_ROOT ?? "."}/.tessera`);
}

export function parseConfig(args: readonly string[], env: NodeJS.ProcessEnv): ServerConfig | "help" {
  const { values } = parse(args);
  if (values.help) return "help";
  const data = dataOf(values.data, env);
  const port = wholeNumber("--port", values.port ?? env.TESSERA_PORT ?? String(defaultPort), 65_535);
  const store = storeOf(values, env);
  const leaseMs = 1_000 * wholeNumber("--lease-seconds", values["lease-seconds"] ?? "12", 3_600);
  const [cert, key] = [values["tls-cert"], values["tls-key"]];
  if ((cert === undefined) !== (key === undefined))
    throw new BadCall("--tls-cert and --tls-key must be given together");
  if (values.virtual !== undefined && values.simulated !== undefined)
    throw new BadCall("--virtual and --simulated cannot be used together; give one");
  if (values.helper !== undefined && (values.virtual ?? values.simulated) !== undefined)
    throw new BadCall("--helper cannot be used with --virtual or --simulated: give --virtual to the helper");
  if (values.dcgm !== undefined && (values.simulated ?? values.helper) !== undefined)
    throw new BadCall("--dcgm cannot be used with --simulated or --helper: give it to the helper, which runs the jobs");
  if (values["no-local"] && (values.virtual ?? values.simulated ?? values.helper) !== undefined)
    throw new BadCall("--no-local cannot be used with --virtual, --simulated or --helper: they say what runs here");
  const master = masterOf(values, env);
  if (master !== undefined && values.helper !== undefined)
    throw new BadCall("--master-key and --key-service cannot be used with --helper: the helper holds the keys");
  const host = values.host ?? "127.0.0.1";
  const refused = checkListen(host, cert !== undefined, values["insecure-listen"] ?? false);
  if (refused !== undefined) throw new BadCall(refused);
  const webhook = values.webhook ?? env.TESSERA_WEBHOOK;
  if (webhook !== undefined && !/^https?:$/.test(URL.parse(webhook)?.protocol ?? ""))
    throw new BadCall(`--webhook ${webhook}: give an address that begins with http:// or https://`);
  const remoteWrite = remoteWriteOf(
    values["remote-write"] ?? env.TESSERA_REMOTE_WRITE,
    env.TESSERA_REMOTE_WRITE_HEADER,
  );
  const appsDomain = values["apps-domain"]?.toLowerCase();
  if (appsDomain !== undefined && !/^[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*(:\d{1,5})?$/.test(appsDomain))
    throw new BadCall(`--apps-domain ${appsDomain}: give a domain, such as apps.example.com or apps.example.com:8443`);
  return {
    data,
    host,
    port,
    store: "dir" in store ? store : { ...store, leaseMs, headFile: `${data}/postgres.head` },
    virtual: values.virtual,
    ...(values.dcgm !== undefined && { dcgm: values.dcgm }),
    simulated: values.simulated,
    local: !(values["no-local"] ?? false),
    labels: labelsOf(values.label ?? []),
    ...(values.checks !== undefined && { checks: resolve(values.checks) }),
    ...(values.engines !== undefined && { engines: resolve(values.engines) }),
    ...(values.helper !== undefined && { helper: resolve(values.helper) }),
    ...(master !== undefined && { master }),
    tenantsShareUser: values["tenants-share-user"] ?? false,
    tls: cert === undefined || key === undefined ? undefined : { cert, key },
    snapshotEveryEvents: 100_000,
    freeBytesMin: wholeNumber("--free-space-min", values["free-space-min"] ?? "256", 1e9) * mebibyte,
    telemetry: telemetryOf(values),
    serverNames: serverNamesOf(values["server-name"] ?? []),
    secretsLost: values["secrets-lost"] ?? false,
    despiteDamage: values["despite-damage"] ?? false,
    auditTo: auditTargets(values["audit-to"] ?? env.TESSERA_AUDIT_TO?.split(/\s+/).filter(Boolean) ?? []),
    ...(webhook !== undefined && { webhook }),
    ...(remoteWrite !== undefined && { remoteWrite }),
    ...(appsDomain !== undefined && { appsDomain }),
  };
}

function masterOf(
  values: {
    readonly "master-key"?: string | undefined;
    readonly "key-service"?: string | undefined;
    readonly "key-service-token"?: string | undefined;
  },
  env: NodeJS.ProcessEnv,
): MasterPlace | undefined {
  const file = values["master-key"] ?? env.TESSERA_MASTER_KEY;
  const url = values["key-service"] ?? env.TESSERA_KEY_SERVICE;
  const tokenFile = values["key-service-token"] ?? env.TESSERA_KEY_SERVICE_TOKEN_FILE;
  if (url === undefined) return file === undefined ? undefined : resolve(file);
  if (file !== undefined) throw new BadCall("--master-key and --key-service cannot be used together; give one");
  const { protocol, hostname } = URL.parse(url) ?? {};
  const isNear = protocol === "http:" && /^(127\.\d+\.\d+\.\d+|localhost|\[::1\])$/.test(hostname ?? "");
  if (protocol !== "https:" && !isNear)
    throw new BadCall(`--key-service ${url}: give an address that begins with https://, or one of this machine`);
  if (tokenFile === undefined)
    throw new BadCall("--key-service needs --key-service-token FILE: what it knows this server by");
  return { url, tokenFile: resolve(tokenFile) };
}

function auditTargets(texts: readonly string[]): AuditTarget[] {
  return texts.map((text) => {
    const target = parseAuditTarget(text);
    if (typeof target === "string") throw new BadCall(`--audit-to ${text.slice(0, 300)} ${target}`);
    return target;
  });
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        data: { type: "string" },
        host: { type: "string" },
        port: { type: "string" },
        database: { type: "string" },
        "lease-seconds": { type: "string" },
        virtual: { type: "string" },
        simulated: { type: "string" },
        helper: { type: "string" },
        "master-key": { type: "string" },
        "key-service": { type: "string" },
        "key-service-token": { type: "string" },
        checks: { type: "string" },
        engines: { type: "string" },
        label: { type: "string", multiple: true },
        "no-local": { type: "boolean" },
        dcgm: { type: "string" },
        "tenants-share-user": { type: "boolean" },
        "tls-cert": { type: "string" },
        "tls-key": { type: "string" },
        "insecure-listen": { type: "boolean" },
        "server-name": { type: "string", multiple: true },
        "telemetry-every": { type: "string" },
        "telemetry-size": { type: "string" },
        "telemetry-keep": { type: "string" },
        "free-space-min": { type: "string" },
        webhook: { type: "string" },
        "remote-write": { type: "string" },
        "audit-to": { type: "string", multiple: true },
        "apps-domain": { type: "string" },
        "secrets-lost": { type: "boolean" },
        "despite-damage": { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (cause) {
    throw new BadCall(`${(cause as Error).message}\n\n${usage}`, { cause });
  }
}

function labelsOf(texts: readonly string[]): ServerConfig["labels"] {
  const labels = Object.fromEntries(
    texts.map((text) => {
      const at = text.indexOf("=");
      if (at <= 0) throw new BadCall(`--label ${text}: write KEY=VALUE, such as tier=gold`);
      return [text.slice(0, at), text.slice(at + 1)];
    }),
  );
  const wrong = checkLabels(labels, "--label");
  if (wrong !== undefined) throw new BadCall(`${wrong.field} ${wrong.value} ${wrong.detail}; ${wrong.hint}`);
  return labels;
}

function telemetryOf(values: {
  readonly "telemetry-every"?: string;
  readonly "telemetry-size"?: string;
  readonly "telemetry-keep"?: string;
}): ServerConfig["telemetry"] {
  const every = values["telemetry-every"] ?? "10";
  const size = values["telemetry-size"] ?? "4096";
  const seconds = wholeNumber("--telemetry-every", every, 600);
  if (seconds === 0) throw new BadCall("--telemetry-every 0: give a whole number of seconds from 1 to 600");
  const bytesMax = wholeNumber("--telemetry-size", size, 1e8) * mebibyte;
  if (bytesMax < bytesMaxLeast)
    throw new BadCall(`--telemetry-size ${size}: give at least ${bytesMaxLeast / mebibyte} (MB)`);
  return { ...usualSettings, ...keepOf(values["telemetry-keep"]), bytesMax, everyMs: seconds * 1_000 };
}

/** The address, and a header whose value is never shown. */
function remoteWriteOf(text: string | undefined, header: string | undefined): RemoteWriteSettings | undefined {
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new BadCall(`--remote-write ${text}: give an address that begins with http:// or https://`);
  if (url.username !== "" || url.password !== "")
    throw new BadCall("--remote-write: the address has a password; give it in TESSERA_REMOTE_WRITE_HEADER instead");
  if (header === undefined) return { url: url.href };
  const match = /^([A-Za-z0-9-]{1,64}): ?([\x20-\x7e]{1,4096})$/.exec(header);
  if (match === null) throw new BadCall("TESSERA_REMOTE_WRITE_HEADER is no header; write it as Name: value");
  return { url: url.href, header: { name: match[1]!, value: match[2]! } };
}

function keepOf(text: string | undefined): Partial<TelemetrySettings> {
  if (text === undefined) return {};
  const [rawMs, minuteMs, hourMs, ...more] = text.split(",").map((part) => parseDuration(part, "--telemetry-keep"));
  const wrong = isRefusal(rawMs) || isRefusal(minuteMs) || isRefusal(hourMs) || more.length > 0;
  if (wrong || rawMs === undefined || minuteMs === undefined || hourMs === undefined)
    throw new BadCall(`--telemetry-keep ${text}: give three durations, such as 6h,14d,400d`);
  return { rawMs, minuteMs, hourMs };
}

function serverNamesOf(names: readonly string[]): string[] {
  const wrong = names.find((name) => !/^[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*$/i.test(name));
  if (wrong === undefined) return names.map((name) => name.toLowerCase());
  throw new BadCall(`--server-name ${wrong}: give a name without scheme and port, such as tessera.example.com`);
}

function wholeNumber(flag: string, text: string, max: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > max) throw new BadCall(`${flag} ${text}: give a whole number from 0 to ${max}`);
  return value;
}
