import type { JobFile, QueryOf } from "@tessera/wire";
import type { Api } from "../http.ts";
import { readLines } from "../lines.ts";

/** Everything that a job kept, or that lies in its folders while it runs. */
export async function listFiles(api: Api, job: string, query: QueryOf<"listFiles">): Promise<JobFile[]> {
  const files: JobFile[] = [];
  const answer = await api.open("listFiles", { at: { job }, query }, { accept: "application/x-ndjson" });
  for await (const file of readLines<JobFile>(answer)) files.push(file);
  return files;
}

/** `12.3 MiB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const units = ["KiB", "MiB", "GiB", "TiB"];
  let [value, unit] = [bytes / 1024, 0];
  for (; value >= 1024 && unit < units.length - 1; unit += 1) value /= 1024;
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

export function countText(files: number): string {
  return files === 1 ? "1 file" : `${files} files`;
}
