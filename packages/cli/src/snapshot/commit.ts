import { execFile } from "node:child_process";
import { promisify } from "node:util";

export interface CommitState {
  readonly commit?: string;
  readonly dirty?: boolean;
}

const patienceMs = 5_000;

/** The commit that a folder is at and whether it holds changes; empty where there is no repository, or no git. */
export async function commitOf(folder: string): Promise<CommitState> {
  // A repository may name programs in its own configuration; reading its state must not start one.
  const git = async (...words: string[]) =>
    (
      await promisify(execFile)("git", ["-C", folder, "-c", "core.fsmonitor=false", ...words], {
        timeout: patienceMs,
        maxBuffer: 64 << 20,
        env: { ...process.env, GIT_OPTIONAL_LOCKS: "0", LC_ALL: "C" },
      })
    ).stdout.trim();
  try {
    const [commit, changes] = await Promise.all([
      git("rev-parse", "--verify", "HEAD"),
      git("status", "--porcelain", "--", "."),
    ]);
    return /^[0-9a-f]{40,64}$/.test(commit) ? { commit, dirty: changes !== "" } : {};
  } catch {
    return {};
  }
}
