import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { notFoundFailure, specFailure } from "../failure.ts";
import { readDocuments } from "../read/documents.ts";
import type { Session } from "../session.ts";
import { type FlatConfig, flattenKubeconfig } from "./kubeconfig.ts";

/** Reads a kubeconfig and the files that it refers to. */
export async function readKubeconfig(session: Session, file: string, context?: string): Promise<FlatConfig> {
  const documents = await readDocuments(session, file);
  if (documents.length > 1)
    throw specFailure(`${file} has ${documents.length} documents`, "a kubeconfig is one; keep the one that is meant");
  const { cwd } = session.terminal;
  const folder = file === "-" ? cwd : dirname(resolve(cwd, file));
  return flattenKubeconfig(documents[0]?.value, file, context, (path, field) => {
    try {
      return readFileSync(resolve(folder, path));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const why = code === "ENOENT" ? "there is no such file" : code === "EACCES" ? "you may not read it" : `${code}`;
      throw notFoundFailure(
        `${file}: ${field} refers to ${path}, which cannot be read: ${why}`,
        "correct the path, or put the content into the file: kubectl config view --raw --flatten",
      );
    }
  });
}
