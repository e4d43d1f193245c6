import type { Job } from "@tessera/wire";
import { writeYaml } from "../../format/yaml.ts";
import { type DiffLine, diffLines } from "./diff.ts";

const signs = { " ": "same", "+": "came", "-": "gone" };

/** The file of a job as it was understood, with the lines that another run had instead. */
export function SpecDiff({ before, job }: { before: Job | undefined; job: Job }) {
  const lines = linesOf(job);
  const shown: readonly DiffLine[] =
    before === undefined ? lines.map((text) => ({ sign: " ", text })) : diffLines(linesOf(before), lines);
  return (
    <pre className="spec">
      {shown.map(({ sign, text }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other key, and all of them are rendered again
        <div key={i} className={signs[sign]}>{`${sign} ${text}`}</div>
      ))}
    </pre>
  );
}

function linesOf({ spec }: Job): string[] {
  return writeYaml(spec).trimEnd().split("\n");
}
