import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

/** How long logs of ended members are kept, and how much of all of them together: beyond it the oldest go first. */
export interface LogKeep {
  readonly logMs: number;
  readonly logBytes: number;
}

/** Removes logs that are kept long enough, each a folder named by its lease. Those for which `isKnown` holds stay. */
export async function pruneLogs(
  folder: string,
  keep: LogKeep,
  now: number,
  isKnown: (lease: string) => boolean,
): Promise<void> {
  const logs = await Promise.all(
    (await readdir(folder)).map(async (name) => ({ name, ...(await measure(join(folder, name))) })),
  );
  let bytes = logs.reduce((sum, log) => sum + log.bytes, 0);
  for (const log of logs.filter(({ name }) => !isKnown(name)).sort((a, b) => a.lastAt - b.lastAt)) {
    if (log.lastAt >= now - keep.logMs && bytes <= keep.logBytes) return;
    await rm(join(folder, log.name), { recursive: true, force: true });
    bytes -= log.bytes;
  }
}

async function measure(folder: string): Promise<{ bytes: number; lastAt: number }> {
  const files = await Promise.all((await readdir(folder)).map((name) => stat(join(folder, name))));
  const { mtimeMs } = await stat(folder);
  return {
    bytes: files.reduce((sum, { size }) => sum + size, 0),
    lastAt: Math.max(mtimeMs, ...files.map((file) => file.mtimeMs)),
  };
}
