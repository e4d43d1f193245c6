import type { Job, JobFile } from "@tessera/wire";
import { quoteWord } from "@tessera/wire/shell-word";
import type { Api } from "../http.ts";
import { readLines } from "../lines.ts";
import { countText, sizeText } from "../output/bytes.ts";
import { printable } from "../terminal.ts";

/** So many files are looked through for one worth naming. */
const lookedAt = 1_000;

/** What can be fetched of a job that has ended, and how; undefined where there is nothing to say. */
export async function keptText(api: Api, job: Job): Promise<string | undefined> {
  const outputs = job.outputs ?? [];
  const files = outputs.reduce((sum, output) => sum + output.files, 0);
  const bytes = outputs.reduce((sum, output) => sum + output.bytes, 0);
  const left = outputs.find((output) => output.left !== undefined)?.left;
  const parts: string[] = [];
  if (files > 0) {
    const example = await largest(api, job);
    const path = files === 1 || example !== undefined ? (example?.path ?? "") : "";
    parts.push(`${countText(files)} kept (${sizeText(bytes)}): tess cp ${quoteWord(`${job.name}:${path}`)} .`);
  }
  if (left !== undefined) {
    const what = left.files === 0 ? "" : `${countText(left.files)} (${sizeText(left.bytes)}) `;
    parts.push(`${what}not kept: ${left.why}`);
  }
  return parts.length === 0 ? undefined : printable(parts.join("; "));
}

/** The largest of its files is most often what the job was run for. */
async function largest(api: Api, { id }: Job): Promise<JobFile | undefined> {
  let found: JobFile | undefined;
  let seen = 0;
  const enough = new AbortController();
  try {
    const { signal } = enough;
    const answer = await api.open("listFiles", { at: { job: id } }, { accept: "application/x-ndjson", signal });
    for await (const file of readLines<JobFile>(answer)) {
      if (found === undefined || file.bytes > found.bytes) found = file;
      if (++seen === lookedAt) break;
    }
  } catch {
    // The line is a convenience; the run itself has ended well or badly already.
  } finally {
    enough.abort();
  }
  return found;
}
