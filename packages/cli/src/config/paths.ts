import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Terminal } from "../terminal.ts";

type Env = Terminal["env"];

/** Folder of the user's configuration. */
export function configFolder(env: Env): string {
  return join(env.XDG_CONFIG_HOME || join(homeOf(env), ".config"), "tess");
}

/** Folder of what commands remember of earlier ones. */
export function stateFolder(env: Env): string {
  return join(env.XDG_STATE_HOME || join(homeOf(env), ".local", "state"), "tess");
}

/** Folder of what can be fetched again. */
export function cacheFolder(env: Env): string {
  return join(env.XDG_CACHE_HOME || join(homeOf(env), ".cache"), "tess");
}

/**
 * Where the server of this machine keeps its files, and says how to reach it: the folder named by --data, by
 * TESSERA_DATA, or that of the clone. Undefined for a `tess` that is installed outside a clone.
 */
export function dataFolder({ env, cwd }: Pick<Terminal, "env" | "cwd">, given?: string): string | undefined {
  const named = given || env.TESSERA_DATA;
  if (named) return resolve(cwd, named);
  const root = cloneRoot(env);
  return root === undefined ? undefined : join(root, ".tessera");
}

export function homeOf(env: Env): string {
  return env.HOME || homedir();
}

/** A program of the server's package; it is started, never imported. */
export function serverProgram(name: "main" | "admin" | "helper"): string {
  return programOf(`server/dist/${name}.js`);
}

/** The program behind `tess what-if`; it is started as well. */
export function whatIfProgram(): string {
  return programOf("what-if/dist/main.js");
}

function programOf(path: string): string {
  return resolve(dirname(fileURLToPath(import.meta.url)), "../../..", path);
}

function cloneRoot(env: Env): string | undefined {
  if (env.TESSERA_ROOT) return env.TESSERA_ROOT;
  const root = resolve(dirname(fileURLToPath(import.meta.url)), "../../../..");
  return existsSync(join(root, "packages", "cli")) ? root : undefined;
}
