import { specFailure } from "../failure.ts";

/** What a server needs to reach a cluster: one context with its cluster and its user, without references to files. */
export interface FlatConfig {
  readonly context: string;
  /** The address of the API server. */
  readonly address: string;
  /** The kubeconfig as text. */
  readonly text: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** Reads a file that a kubeconfig refers to; its path is relative to the folder of the kubeconfig. */
export type ReadReferred = (path: string, field: string) => Buffer;

/**
 * Makes a kubeconfig self-contained. Only the chosen context goes to the server: credentials of other clusters stay
 * where they are.
 */
export function flattenKubeconfig(
  value: unknown,
  file: string,
  asked: string | undefined,
  read: ReadReferred,
): FlatConfig {
  if (!isFields(value) || !("contexts" in value || "clusters" in value || "users" in value))
    throw specFailure(
      `${file} is not a kubeconfig: it has no clusters, contexts and users`,
      "give the file that kubectl uses: kubectl config view --raw --minify > FILE",
    );
  const name = asked ?? textOf(value, "current-context");
  if (name === undefined)
    throw specFailure(`${file} has no current-context`, `name one with --context: ${namesIn(value, "contexts")}`);
  const context = entryOf(value, file, "contexts", name, "context");
  if (context === undefined)
    throw specFailure(
      `${file} has no context "${name}"`,
      `${asked === undefined ? "its current-context names none; choose with --context" : "contexts of the file"}: ${namesIn(value, "contexts")}`,
    );
  const clusterName = referred(context, file, name, "cluster");
  const userName = referred(context, file, name, "user");
  const cluster = entryOf(value, file, "clusters", clusterName, "cluster");
  const user = entryOf(value, file, "users", userName, "user");
  if (cluster === undefined) throw missing(file, name, "cluster", clusterName, namesIn(value, "clusters"));
  if (user === undefined) throw missing(file, name, "user", userName, namesIn(value, "users"));
  const flat = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": name,
    contexts: [{ name, context: { cluster: clusterName, user: userName } }],
    clusters: [{ name: clusterName, cluster: flatCluster(cluster, file, clusterName, read) }],
    users: [{ name: userName, user: flatUser(user, file, userName, read) }],
  };
  return { context: name, address: String(cluster.server), text: `${JSON.stringify(flat, null, 2)}\n` };
}

function flatCluster(cluster: Fields, file: string, name: string, read: ReadReferred): Fields {
  const server = textOf(cluster, "server") ?? "";
  if (!/^https?:\/\//.test(server))
    throw specFailure(
      `${file}: cluster "${name}" has the server "${server}"`,
      "it must be the address of the API server, such as https://10.0.0.1:6443",
    );
  return inlined(cluster, `cluster "${name}"`, file, read, ["certificate-authority"]);
}

function flatUser(user: Fields, file: string, name: string, read: ReadReferred): Fields {
  const who = `user "${name}"`;
  for (const field of ["exec", "auth-provider"]) {
    if (user[field] === undefined) continue;
    const program = isFields(user[field]) ? (user[field].command ?? user[field].name) : undefined;
    throw specFailure(
      `${file}: ${who} gets its credentials from a program (${field}: ${String(program)}), which the server cannot run`,
      "make a service account for Tessera and give a kubeconfig with its token: docs/kubernetes.md",
    );
  }
  const flat: Record<string, unknown> = {
    ...inlined(user, who, file, read, ["client-certificate", "client-key"]),
  };
  const tokenFile = textOf(user, "tokenFile");
  if (tokenFile !== undefined) {
    flat.token = read(tokenFile, `${who}: tokenFile`).toString("utf8").trim();
    delete flat.tokenFile;
  }
  const certificate = flat["client-certificate-data"] !== undefined && flat["client-key-data"] !== undefined;
  if (!certificate && !flat.token && !(flat.username && flat.password))
    throw specFailure(
      `${file}: ${who} has no credentials`,
      "it needs a token, or client-certificate and client-key, or username and password",
    );
  return flat;
}

/** The fields with each reference to a file replaced by what the file holds. */
function inlined(from: Fields, owner: string, file: string, read: ReadReferred, references: readonly string[]): Fields {
  const flat: Record<string, unknown> = { ...from };
  for (const field of references) {
    const path = textOf(from, field);
    const data = textOf(from, `${field}-data`);
    delete flat[field];
    // As kubectl reads it: data wins over a file.
    if (data !== undefined) {
      if (!isBase64(data))
        throw specFailure(
          `${file}: ${owner} has a ${field}-data that is not base64`,
          `write the file as base64 in one line: base64 -w0 FILE`,
        );
    } else if (path !== undefined) {
      flat[`${field}-data`] = read(path, `${owner}: ${field}`).toString("base64");
    }
  }
  return flat;
}

function isBase64(text: string): boolean {
  const bare = text.replace(/\s/g, "");
  return bare !== "" && bare.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(bare);
}

function missing(file: string, context: string, what: string, name: string, known: string): Error {
  return specFailure(
    `${file}: context "${context}" names the ${what} "${name}", which is not there`,
    `${what}s of the file: ${known}`,
  );
}

function referred(context: Fields, file: string, name: string, what: "cluster" | "user"): string {
  const text = textOf(context, what);
  if (text !== undefined) return text;
  throw specFailure(
    `${file}: context "${name}" names no ${what}`,
    `add ${what}: NAME to it, or choose another context`,
  );
}

function entryOf(config: Fields, file: string, list: string, name: string, inside: string): Fields | undefined {
  const found = listOf(config, list).find((entry) => entry.name === name);
  if (found === undefined) return undefined;
  const value = found[inside];
  if (isFields(value)) return value;
  throw specFailure(`${file}: ${inside} "${name}" is empty`, `an entry of ${list} is {name: …, ${inside}: {…}}`);
}

function namesIn(config: Fields, list: string): string {
  return (
    listOf(config, list)
      .map(({ name }) => String(name))
      .join(", ") || "none"
  );
}

function listOf(config: Fields, list: string): readonly Fields[] {
  const entries = config[list];
  return Array.isArray(entries) ? entries.filter(isFields) : [];
}

function textOf(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
