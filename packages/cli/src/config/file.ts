import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { configFailure } from "../failure.ts";
import { readYaml, writeYaml } from "./yaml.ts";

/** One server as the user knows it. */
export interface Context {
  server?: string;
  tenant?: string;
  project?: string;
  /** Name of a file beside the configuration that holds the token. */
  token_file?: string;
  /** Name of a file beside the configuration that holds the certificate which this server alone can show. */
  certificate_file?: string;
}

export interface Config {
  current?: string;
  contexts: Record<string, Context>;
}

export const contextKeys = ["server", "tenant", "project"] as const;
export type ContextKey = (typeof contextKeys)[number];

const fileName = "config.yaml";
const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

export function checkContextName(name: string): string {
  if (namePattern.test(name)) return name;
  throw configFailure(`"${name}" cannot be the name of a context`, "use letters, digits and . _ -");
}

/** Reads the configuration; an absent file is an empty one. */
export async function readConfig(folder: string): Promise<Config> {
  const path = join(folder, fileName);
  if (!existsSync(path)) return { contexts: {} };
  return checkConfig(path, await readYaml(path));
}

/** Writes beside and renames, so that a crash leaves the old file or the new one. */
export async function writeConfig(folder: string, config: Config): Promise<void> {
  writePrivately(join(folder, fileName), await writeYaml(config));
}

/** Keeps a token in a file that only the user can read; answers its name for `token_file`. */
export function writeToken(folder: string, context: string, token: string): string {
  return writeBeside(folder, `${checkContextName(context)}.token`, `${token}\n`);
}

/** Keeps a certificate likewise: if another user could change it, that user could have the token. */
export function writeCertificate(folder: string, context: string, certificate: string): string {
  return writeBeside(folder, `${checkContextName(context)}.crt`, certificate);
}

function writeBeside(folder: string, name: string, text: string): string {
  writePrivately(join(folder, name), text);
  return name;
}

/** What a file beside the configuration holds. */
export function readKept(folder: string, file: string | undefined): string | undefined {
  const path = file === undefined ? undefined : join(folder, file);
  return path !== undefined && existsSync(path) ? readFileSync(path, "utf8").trim() : undefined;
}

export function removeKept(folder: string, file: string): void {
  rmSync(join(folder, file), { force: true });
}

function writePrivately(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const fresh = `${path}.${process.pid}.new`;
  writeFileSync(fresh, text, { mode: 0o600 });
  chmodSync(fresh, 0o600);
  renameSync(fresh, path);
}

function checkConfig(path: string, value: unknown): Config {
  if (value === null || value === undefined) return { contexts: {} };
  const { current, contexts = {}, ...others } = recordOf(path, value);
  refuseOthers(path, others, "current, contexts");
  if (current !== undefined && typeof current !== "string") throw configFailure(`${path}: current must be a name`);
  const checked: Record<string, Context> = {};
  for (const [name, context] of Object.entries(recordOf(`${path}: contexts`, contexts))) {
    checked[name] = checkContext(`${path}: contexts.${name}`, context);
  }
  return { ...(current !== undefined && { current }), contexts: checked };
}

function checkContext(where: string, value: unknown): Context {
  const { server, tenant, project, token_file, certificate_file, ...others } = recordOf(where, value ?? {});
  refuseOthers(where, others, "server, tenant, project, token_file, certificate_file");
  const context: Context = {};
  for (const [key, given] of Object.entries({ server, tenant, project, token_file, certificate_file })) {
    if (given === undefined) continue;
    if (typeof given !== "string") throw configFailure(`${where}.${key} must be text, got ${JSON.stringify(given)}`);
    context[key as keyof Context] = given;
  }
  for (const key of ["token_file", "certificate_file"] as const) {
    if (/[/\\]/.test(context[key] ?? ""))
      throw configFailure(`${where}.${key} must be the name of a file beside the configuration`);
  }
  return context;
}

export function recordOf(where: string, value: unknown): Record<string, unknown> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw configFailure(`${where} must hold names and values`);
}

export function refuseOthers(where: string, others: Record<string, unknown>, known: string): void {
  const [first] = Object.keys(others);
  if (first !== undefined) throw configFailure(`${where}: unknown key "${first}"`, `known keys: ${known}`);
}
