import { specFailure } from "../failure.ts";
import { sizeText } from "../output/bytes.ts";
import { type Found, leaveOutHint } from "./scan.ts";

/** What the server takes. */
export interface SnapshotLimits {
  readonly files: number;
  readonly bytes: number;
}

const shownMax = 5;

/** Refuses a folder that is too large before anything of it is read, with what takes the most room in it. */
export function checkSize(found: Found, limits: SnapshotLimits): void {
  const { files, bytes, tooMany } = found;
  if (files.length <= limits.files && bytes <= limits.bytes) return;
  const byBytes = bytes > limits.bytes;
  const largest = largestEntries(found, byBytes);
  const count = tooMany ? `more than ${files.length - 1}` : String(files.length);
  const named = largest.map(
    ({ name, files: inside, bytes: size }) =>
      `  ${name}  ${sizeText(size)}${name.endsWith("/") ? `, ${inside} files` : ""}`,
  );
  throw specFailure(
    `${found.folder} is too large to send: ${count} files and ${sizeText(bytes)}, and ${limits.files} files and ${sizeText(limits.bytes)} are allowed. Largest:\n${named.join("\n")}`,
    `${leaveOutHint(largest[0]!.name)}; or run without the folder: --workdir none`,
  );
}

interface Weight {
  readonly name: string;
  files: number;
  bytes: number;
}

/** What lies directly in the folder, heaviest first. */
function largestEntries({ files }: Found, byBytes: boolean): Weight[] {
  const weights = new Map<string, Weight>();
  for (const { path, stats } of files) {
    const slash = path.indexOf("/");
    const name = slash === -1 ? path : path.slice(0, slash + 1);
    const weight = weights.get(name) ?? { name, files: 0, bytes: 0 };
    weight.files += 1;
    weight.bytes += Number(stats.size);
    weights.set(name, weight);
  }
  const sorted = [...weights.values()].sort((a, b) => (byBytes ? b.bytes - a.bytes : b.files - a.files));
  return sorted.slice(0, shownMax);
}
