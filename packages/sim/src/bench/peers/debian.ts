import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { Unavailable } from "./peer.ts";

const run = promisify(execFile);

/**
 * Debian packages by name, with what they need beyond this system, unpacked into a folder of ours: nothing is installed
 * and no root is needed. Returns the folder that serves as `/`. What was unpacked before is used again.
 */
export async function unpackDebian(cache: string, names: readonly string[], say: (text: string) => void) {
  const root = join(cache, "root");
  const whole = join(cache, "unpacked");
  if (existsSync(whole)) return root;
  if (!existsSync("/usr/bin/apt-get"))
    throw new Unavailable("its packages come from Debian, and this system has no apt-get");
  rmSync(cache, { recursive: true, force: true });
  const files = join(cache, "files");
  for (const folder of [files, root, join(cache, "lists", "partial")]) mkdirSync(folder, { recursive: true });
  try {
    const needed = await neededOf(names, cache, say);
    say(`downloading ${needed.join(", ")}`);
    await run("apt-get", [...aptOptions(cache), "download", ...needed], { cwd: files });
    for (const file of readdirSync(files)) await run("dpkg-deb", ["-x", join(files, file), root]);
  } catch (cause) {
    const said = (cause as { stderr?: string }).stderr?.trim().split("\n").at(-1) || (cause as Error).message;
    throw new Unavailable(`its Debian packages could not be had: ${said}`, { cause });
  }
  writeFileSync(`${whole}.new`, `${names.join(" ")}\n`);
  renameSync(`${whole}.new`, whole);
  return root;
}

/** The packages and their dependencies that this system lacks. */
async function neededOf(names: readonly string[], cache: string, say: (text: string) => void): Promise<string[]> {
  const ask = () => run("apt-get", [...aptOptions(cache), "-s", "--no-install-recommends", "install", ...names]);
  let answer: { stdout: string };
  try {
    answer = await ask();
  } catch {
    say("reading the lists of packages");
    await run("apt-get", [...aptOptions(cache), "update"]);
    answer = await ask();
  }
  const needed = answer.stdout.split("\n").flatMap((line) => /^Inst (\S+)/.exec(line)?.[1] ?? []);
  return needed.length > 0 ? needed : [...names];
}

/** Package lists of our own: the system's lists may be missing, and only root may fetch them. */
function aptOptions(cache: string): string[] {
  return [
    "-q",
    "-o",
    "Debug::NoLocking=1",
    "-o",
    `Dir::State::Lists=${join(cache, "lists")}`,
    "-o",
    "APT::Sandbox::User=",
  ];
}
