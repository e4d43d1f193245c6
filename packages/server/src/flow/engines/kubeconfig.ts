import { type Refusal, refuse } from "@tessera/core";
import { parse } from "yaml";

/** A kubeconfig with one context and nothing that is not in it. */
export interface WholeKubeconfig {
  readonly text: string;
}

interface Named {
  readonly name?: unknown;
  readonly [part: string]: unknown;
}

const inline = "make one that has everything in it: kubectl config view --flatten --minify --raw";
/** Parts that name a file of the machine on which the kubeconfig was made. */
const files = ["certificate-authority", "client-certificate", "client-key", "tokenFile"];
/** Parts that run a program. */
const programs = ["exec", "auth-provider"];

/**
 * Takes a kubeconfig from a request: of its contexts only the chosen one is kept. One that names files would read them on
 * this machine, and one that names programs would run them here; both are refused.
 */
export function wholeKubeconfig(text: string, context: string | undefined): WholeKubeconfig | Refusal {
  const config = read(text);
  if (typeof config === "string") return bad(config, inline);
  const contexts = listOf(config.contexts);
  const wanted = context ?? config["current-context"];
  const chosen = contexts.find(({ name }) => name === wanted);
  const names = contexts.map(({ name }) => String(name)).join(", ");
  if (contexts.length === 0) return bad("has no contexts, so it is not a kubeconfig", inline);
  if (chosen === undefined) {
    const missing = typeof wanted === "string" && wanted !== "" ? `has no context ${wanted}` : "has no current context";
    return bad(missing, `choose one of its contexts with --context: ${names}`);
  }
  const { cluster: clusterName, user: userName } = partOf(chosen, "context");
  const cluster = listOf(config.clusters).find(({ name }) => name === clusterName);
  const user = listOf(config.users).find(({ name }) => name === userName);
  if (cluster === undefined) return bad(`has no cluster ${String(clusterName)}, which its context names`, inline);
  if (user === undefined) return bad(`has no user ${String(userName)}, which its context names`, inline);
  const parts = { ...partOf(cluster, "cluster"), ...partOf(user, "user") };
  const file = files.find((part) => part in parts);
  if (file !== undefined) return bad(`names a file: ${file}`, inline);
  const program = programs.find((part) => part in parts);
  if (program !== undefined)
    return bad(
      `runs a program to sign in (${program}), which requests may not have this server do`,
      "use a token or a client certificate, or give the engine in the file of --engines when the server starts",
    );
  const kept = { apiVersion: "v1", kind: "Config", clusters: [cluster], users: [user], contexts: [chosen] };
  return { text: JSON.stringify({ ...kept, "current-context": chosen.name }) };
}

/** What is wrong is said without what is in it: it holds credentials. */
function bad(why: string, hint: string): Refusal {
  return refuse("invalid", "kubeconfig", null, why, hint);
}

function read(text: string): Named | string {
  if (text.trim() === "") return "is empty";
  let value: unknown;
  try {
    value = parse(text, { maxAliasCount: 0, uniqueKeys: true });
  } catch {
    return "is neither YAML nor JSON";
  }
  return isNamed(value) ? value : "is not a kubeconfig";
}

function isNamed(value: unknown): value is Named {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function listOf(value: unknown): Named[] {
  return Array.isArray(value) ? value.filter(isNamed) : [];
}

function partOf(named: Named, part: string): Named {
  const value = named[part];
  return isNamed(value) ? value : {};
}
