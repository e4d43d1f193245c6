import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import ignore, { type Ignore } from "ignore";

/** What is left out of every folder unless its .tessignore takes it in again: histories, caches, other people's code. */
const usual = [
  ".git",
  ".hg",
  ".svn",
  "__pycache__/",
  "node_modules/",
  ".ipynb_checkpoints/",
  ".mypy_cache/",
  ".pytest_cache/",
  ".ruff_cache/",
  ".tox/",
  ".tessera/",
  ".DS_Store",
];

/** By these an environment of Python is recognised, whatever its folder is called. */
const environmentMarks = ["pyvenv.cfg", "conda-meta"];

/** Whether the folder holds the keys and the journal of a server; never something that a job needs. */
export function isServerData(folder: string): boolean {
  return existsSync(join(folder, "owner.token"));
}

/**
 * Which files of a folder are not sent. As in git, rules lie in the folder they are about and in those above it, the
 * nearest wins, and what is below an ignored folder is not looked at. Rules of .tessignore win over those of .gitignore.
 */
export class Rules {
  /** Paths are tested as they are called from here: the root of the repository around the folder, or the folder. */
  readonly #base: string;
  readonly #git: readonly string[];
  readonly #own: readonly string[];
  readonly #all: Ignore;

  private constructor(base: string, git: readonly string[], own: readonly string[]) {
    this.#base = base;
    this.#git = git;
    this.#own = own;
    this.#all = ignore().add(usual).add(git).add(own);
  }

  /** The rules for a folder that is sent, with those that a repository around it has. */
  static at(folder: string): Rules {
    const above = foldersAbove(folder);
    const base = above[0] ?? folder;
    const git = above.flatMap((each) => rulesIn(each, ".gitignore", base));
    const around = new Rules(base, git, []);
    // Where the repository ignores the folder itself, its rules would leave out everything.
    const own =
      base === folder || around.#all.ignores(`${relative(base, folder)}/`) ? new Rules(folder, [], []) : around;
    return own.inside(folder);
  }

  /** The rules for what lies in a folder below. */
  inside(folder: string): Rules {
    const git = rulesIn(folder, ".gitignore", this.#base);
    const own = rulesIn(folder, ".tessignore", this.#base);
    if (git.length === 0 && own.length === 0) return this;
    return new Rules(this.#base, [...this.#git, ...git], [...this.#own, ...own]);
  }

  leavesOut(path: string, isFolder: boolean): boolean {
    const inside = relative(this.#base, path);
    const { ignored, unignored } = this.#all.test(isFolder ? `${inside}/` : inside);
    if (ignored || !isFolder) return ignored;
    return isServerData(path) || (!unignored && environmentMarks.some((mark) => existsSync(join(path, mark))));
  }
}

/** The rules that a folder holds, as they read from `base`. */
function rulesIn(folder: string, file: string, base: string): string[] {
  let text: string;
  try {
    text = readFileSync(join(folder, file), "utf8");
  } catch {
    return []; // there is none
  }
  const prefix = relative(base, folder).replace(/[\\*?[\]!# ]/g, "\\$&");
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "" && !line.startsWith("#"));
  return prefix === "" ? lines : lines.map((line) => below(prefix, line));
}

/** A rule with a slash before its end is about one place; any other holds at every depth. */
function below(prefix: string, line: string): string {
  const [, not, rule] = /^(!?)(.*)$/.exec(line)!;
  const placed = /^\/|\/(?!\s*$)/.test(rule!);
  return `${not}/${prefix}/${placed ? "" : "**/"}${rule!.replace(/^\//, "")}`;
}

/** From the root of the repository down to the folder above this one; none outside a repository. */
function foldersAbove(folder: string): string[] {
  const above: string[] = [];
  for (let at = folder; !existsSync(join(at, ".git")); at = dirname(at)) {
    if (at === dirname(at)) return [];
    above.unshift(dirname(at));
  }
  return above;
}
