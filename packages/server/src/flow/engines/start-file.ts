import { readFileSync } from "node:fs";
import { dirname, isAbsolute, resolve } from "node:path";
import { isRefusal, parseDuration } from "@tessera/core";
import { parse, stringify } from "yaml";
import type { AddedKind, GivenEngine } from "./kinds.ts";

/** An engine of the file that the server is started with. */
export interface FileEngine {
  readonly name: string;
  readonly kind: "kubernetes" | "simulated";
  readonly settings: { readonly [name: string]: string };
  readonly lostAfterMs: number;
  /** The text of the kubeconfig; empty = the cluster that the server runs in; absent for kinds that need none. */
  readonly credentials?: string;
}

const fields = ["name", "kind", "kubeconfig", "in-cluster", "settings", "lost_after"];
const namePattern = /^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/;
const filesIn = ["certificate-authority", "client-certificate", "client-key", "tokenFile"];

/** An engine of the file, as one that was given. The start does not wait for it. */
export function givenByFile(engine: FileEngine, kind: AddedKind): GivenEngine {
  const wrong = kind.check(engine.settings);
  if (wrong !== undefined) throw new Error(`engine ${engine.name}: ${wrong.field} ${wrong.detail}; ${wrong.hint}`);
  const identify = kind.identify && (() => kind.identify!(engine));
  return { ...engine, here: false, open: () => kind.open(engine), ...(identify && { identify }) };
}

/** Reads the list of engines that `--engines` names. Throws with the place and the fix. */
export function readEngineFile(file: string): FileEngine[] {
  const value = yamlOf(file);
  if (!Array.isArray(value)) throw new Error(`${file}: write a list of engines, each with name and kind`);
  const engines = value.map((each, i) => engineOf(file, `engine ${i + 1}`, each));
  const twice = engines.find(({ name }, i) => engines.findIndex((other) => other.name === name) !== i);
  if (twice !== undefined) throw new Error(`${file}: there are two engines named ${twice.name}; rename one`);
  return engines;
}

function engineOf(file: string, at: string, value: unknown): FileEngine {
  const fail = (text: string): never => {
    throw new Error(`${file}: ${at}: ${text}`);
  };
  if (!isTable(value)) return fail("write a table with name and kind");
  const unknown = Object.keys(value).find((field) => !fields.includes(field));
  if (unknown !== undefined) fail(`${unknown} is not a field; the fields are ${fields.join(", ")}`);
  const { name, kind, kubeconfig, settings = {}, lost_after: lostAfter } = value;
  if (typeof name !== "string" || !namePattern.test(name))
    return fail("name: write at most 40 letters a-z, digits and -, such as east");
  if (name === "local") fail("name: local is this machine; choose another");
  if (kind !== "kubernetes" && kind !== "simulated") return fail("kind: write kubernetes or simulated");
  if (!isTable(settings)) return fail("settings: write a table of names and values");
  const lostAfterMs = lostAfter === undefined ? 0 : parseDuration(String(lostAfter), "lost_after");
  if (isRefusal(lostAfterMs)) return fail(`lost_after ${String(lostAfter)}: write a duration, such as 30m`);
  const inCluster = value["in-cluster"] ?? false;
  if (typeof inCluster !== "boolean") fail("in-cluster: write true or false");
  const common = {
    name,
    kind,
    lostAfterMs,
    settings: Object.fromEntries(Object.entries(settings).map(([key, each]) => [key, String(each)])),
  } as const;
  if (kind === "simulated") {
    if (inCluster || kubeconfig !== undefined) fail("a simulated engine takes no kubeconfig and no in-cluster");
    return common;
  }
  if (inCluster === (kubeconfig !== undefined)) return fail("write either kubeconfig: FILE or in-cluster: true");
  if (inCluster) return { ...common, credentials: "" };
  if (typeof kubeconfig !== "string") return fail("kubeconfig: write the path of a file");
  return { ...common, credentials: kubeconfigOf(resolve(dirname(file), kubeconfig)) };
}

/** The text of a kubeconfig; paths in it are relative to its own folder. */
function kubeconfigOf(file: string): string {
  const value = yamlOf(file);
  if (!isTable(value)) throw new Error(`${file}: this is not a kubeconfig`);
  const folder = dirname(file);
  const absolute = (list: unknown, part: string) => {
    for (const named of Array.isArray(list) ? list.filter(isTable) : []) {
      const table = named[part];
      if (!isTable(table)) continue;
      for (const field of filesIn) {
        const path = table[field];
        if (typeof path === "string" && path !== "" && !isAbsolute(path)) table[field] = resolve(folder, path);
      }
    }
  };
  absolute(value.clusters, "cluster");
  absolute(value.users, "user");
  return stringify(value);
}

function yamlOf(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (cause) {
    throw new Error(`${file} cannot be read: ${(cause as Error).message}`, { cause });
  }
  try {
    return parse(text);
  } catch (cause) {
    throw new Error(`${file} is neither YAML nor JSON: ${(cause as Error).message}`, { cause });
  }
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
