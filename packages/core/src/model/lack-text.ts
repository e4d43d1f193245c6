import type { Lack } from "./offers.ts";

const words: Readonly<Record<Lack, string>> = {
  images: "runs no container images",
  "without-image": "runs container images only",
  workdir: "takes no folder of its nodes as workdir",
  code: "brings no files of the user, nor uses a venv",
  mounts: "cannot mount volumes and outputs",
  isolation: "does not divide GPUs like that",
};

/** What an engine lacks for a job: `local runs no container images`. */
export function lackText(engine: string, lacks: readonly Lack[]): string {
  return `${engine} ${lacks.length === 0 ? "has no node with all that it needs" : lacks.map((lack) => words[lack]).join(" and ")}`;
}
