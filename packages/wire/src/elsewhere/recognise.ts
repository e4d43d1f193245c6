import { isCompose, readCompose } from "./compose.ts";
import { isDstack, readDstack } from "./dstack.ts";
import { type Fields, type ForeignFile, fieldsOf } from "./foreign.ts";
import { isKubernetes, readKubernetes } from "./kubernetes.ts";
import { isSbatch, readSbatch } from "./sbatch.ts";
import { isSkyPilot, readSkyPilot } from "./skypilot.ts";

export type { ForeignFile, FoundField } from "./foreign.ts";

interface Reader {
  readonly is: (value: Fields) => boolean;
  readonly read: (value: Fields) => ForeignFile;
}

/** In this order: the first that knows a document reads it. */
const readers: readonly Reader[] = [
  { is: isKubernetes, read: readKubernetes },
  { is: isCompose, read: readCompose },
  { is: isDstack, read: readDstack },
  { is: isSkyPilot, read: readSkyPilot },
];

/** What a text is that was written for another program; undefined when it is no script that is known. */
export function recogniseText(text: string): ForeignFile | undefined {
  return isSbatch(text) ? readSbatch(text) : undefined;
}

/** What a parsed document is that was written for another program; undefined when it may be a job of ours. */
export function recogniseDocument(value: unknown): ForeignFile | undefined {
  const fields = fieldsOf(value);
  return readers.find(({ is }) => is(fields))?.read(fields);
}
