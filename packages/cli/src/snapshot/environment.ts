import { existsSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import type { Terminal } from "../terminal.ts";

/**
 * The Python environment that commands typed here would use: the active virtual environment or conda environment, else a
 * `.venv` in the folder, as uv makes one. The job uses it too where its user may read it.
 */
export function environmentOf(env: Terminal["env"], folder: string | undefined): string | undefined {
  const active = [env.VIRTUAL_ENV, env.CONDA_PREFIX].find((path) => path !== undefined && isAbsolute(path));
  if (active !== undefined) return existsSync(active) ? active : undefined;
  const own = folder === undefined ? undefined : join(folder, ".venv");
  return own !== undefined && existsSync(join(own, "pyvenv.cfg")) ? own : undefined;
}
