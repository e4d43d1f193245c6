import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { configFailure } from "../failure.ts";
import { recordOf, refuseOthers } from "./file.ts";
import { readYaml } from "./yaml.ts";

/** What a repository says for everyone who works in it. It names a context, never an address: a clone cannot redirect a token. */
export interface FolderConfig {
  readonly project?: string;
  readonly context?: string;
}

export const folderFile = ".tess.yaml";

/** The nearest `.tess.yaml` from `cwd` upwards. */
export async function readFolderConfig(cwd: string): Promise<FolderConfig> {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const path = join(folder, folderFile);
    if (existsSync(path)) return check(path, await readYaml(path));
    if (dirname(folder) === folder) return {};
  }
}

function check(path: string, value: unknown): FolderConfig {
  const { project, context, ...others } = recordOf(path, value ?? {});
  refuseOthers(path, others, "project, context");
  for (const [key, given] of Object.entries({ project, context })) {
    if (given !== undefined && typeof given !== "string") throw configFailure(`${path}: ${key} must be text`);
  }
  return {
    ...(typeof project === "string" && { project }),
    ...(typeof context === "string" && { context }),
  };
}
