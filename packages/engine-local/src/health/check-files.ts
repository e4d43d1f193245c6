import { readdirSync, readFileSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** A script of a folder of checks, with what the file of thresholds says of it. */
export interface CheckFile {
  readonly name: string;
  readonly file: string;
  /** `gpu`: run for each GPU by itself; `node`: once, with all of them. */
  readonly scope: "gpu" | "node";
  readonly timeoutMs: number;
  /** By the beginning of the model's name; `*` for all others. */
  readonly models: { readonly [model: string]: { readonly [limit: string]: number } };
}

/** An entry of thresholds.json. */
interface Written {
  readonly scope?: string;
  readonly timeoutSeconds?: number;
  readonly models?: CheckFile["models"];
}

export const ownChecks = fileURLToPath(new URL("../../checks", import.meta.url));
const thresholdsFile = "thresholds.json";
const usualTimeoutSeconds = 300;
const interpreters: Readonly<Record<string, string>> = { ".py": "python3", ".sh": "sh", ".js": process.execPath };

/** The checks of these folders by name; of two with one name that of the later folder counts, and so do its thresholds. */
export function readChecks(folders: readonly string[]): CheckFile[] {
  const files = new Map<string, string>();
  const written = new Map<string, Written>();
  for (const folder of folders) {
    for (const file of readdirSync(folder).sort())
      if (isCheck(file)) files.set(basename(file, extname(file)), join(folder, file));
    for (const [name, entry] of Object.entries(readThresholds(folder))) {
      const before = written.get(name);
      written.set(name, { ...before, ...entry, models: { ...before?.models, ...entry.models } });
    }
  }
  return [...files]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, file]) => {
      const { scope, timeoutSeconds = usualTimeoutSeconds, models = {} } = written.get(name) ?? {};
      return { name, file, scope: scope === "node" ? "node" : "gpu", timeoutMs: timeoutSeconds * 1000, models };
    });
}

/** Names that begin with _ or . hold what checks share. */
function isCheck(file: string): boolean {
  return !/^[_.]/.test(file) && file !== thresholdsFile && /^\.(py|sh|js|)$/.test(extname(file));
}

function readThresholds(folder: string): { readonly [name: string]: Written } {
  let text: string;
  try {
    text = readFileSync(join(folder, thresholdsFile), "utf8");
  } catch {
    return {}; // a folder may do without
  }
  try {
    const entries = Object.entries(JSON.parse(text) as { [name: string]: Written | string });
    return Object.fromEntries(entries.flatMap(([name, entry]) => (typeof entry === "string" ? [] : [[name, entry]])));
  } catch (cause) {
    throw new Error(`${join(folder, thresholdsFile)} is not JSON: ${(cause as Error).message}`, { cause });
  }
}

/** The thresholds of a model: those of the longest name that it begins with. */
export function limitsFor({ models }: CheckFile, model: string): { readonly [limit: string]: number } {
  const names = Object.keys(models).filter((name) => model.toLowerCase().startsWith(name.toLowerCase()));
  const [best] = names.sort((a, b) => b.length - a.length);
  return models[best ?? "*"] ?? {};
}

/** How a script is started: by its interpreter, or by itself. */
export function commandOf({ file }: CheckFile): readonly [program: string, ...args: string[]] {
  const interpreter = interpreters[extname(file)];
  return interpreter === undefined ? [file] : [interpreter, file];
}
