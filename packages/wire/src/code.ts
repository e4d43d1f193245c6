const shownDigits = 12;

/**
 * Where the files of a job came from, for people, from the `workdir` of its spec: a snapshot with the commit that the
 * folder was at, a repository, or a folder of the node. Undefined for a job that starts in an empty folder.
 */
export function codeText(workdir: unknown): string | undefined {
  if (typeof workdir === "string") return `in ${workdir} on the node`;
  if (typeof workdir !== "object" || workdir === null) return undefined;
  const { tree, commit, dirty, from, git, ref, in_place } = workdir as Readonly<Record<string, unknown>>;
  if (typeof in_place === "string") return `in ${in_place} on the node, in place`;
  if (typeof git === "string") return `${git} at ${typeof ref === "string" ? ref : "its default branch"}`;
  if (typeof tree !== "string") return undefined;
  const of = typeof from === "string" ? ` of ${from}` : "";
  const changes = dirty === true ? ", with changes" : "";
  const at = typeof commit === "string" ? `, commit ${commit.slice(0, shownDigits)}${changes}` : "";
  return `snapshot ${tree.slice(0, shownDigits)}${of}${at}`;
}
