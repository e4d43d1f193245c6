import { quoted } from "./quoted.ts";

/**
 * Brings what a repository holds into the work folder, as the job: its user, its network, its secrets. One commit where
 * the other side gives a single one, else everything.
 */
export function fetchScript({ url, ref = "HEAD" }: { readonly url: string; readonly ref?: string }): string {
  return `command -v git >/dev/null || { echo "git is not installed on this node" >&2; exit 127; }
export GIT_TERMINAL_PROMPT=0
url=${quoted(url)} ref=${quoted(ref)}
git init -q . && git remote add origin "$url" || exit
git fetch -q --depth 1 origin "$ref" && at=FETCH_HEAD || {
  git fetch -q --tags origin '+refs/heads/*:refs/remotes/origin/*' || exit
  at=$ref
}
git -c advice.detachedHead=false checkout -q "$at" -- || exit
echo "fetched $url at $(git rev-parse HEAD)"`;
}
