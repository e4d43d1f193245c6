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
