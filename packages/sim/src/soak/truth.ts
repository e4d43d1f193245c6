import { chmodSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/**
 * The command of every job in the soak. It records when it begins and how it ends in a file that is named after its
 * lease, so that what really ran is known without Tessera. TERM and USR1 are honoured while it naps, after the
 * time it takes to leave; from the moment it decides how to end nothing can change that any more.
 */
export const jobScript = `
say() { echo "$1 $2 $(trap '' TERM USR1; date +%s%N) $CUDA_VISIBLE_DEVICES" >> "$TRUTH/$TESS_LEASE"; }
leave() { trap '' TERM USR1; [ "$LEAVE" = 0 ] || sleep "$LEAVE"; say end 143; exit 143; }
trap leave TERM USR1
say start 0
sleep "$NAP" & wait $!
trap '' TERM USR1
[ "$BAD_RANK" = all ] || [ "$BAD_RANK" = "$TESS_RANK" ] || CODE=0
say end "$CODE"
exit "$CODE"`;

/** What one start of one member wrote. */
export interface Ran {
  readonly job: string;
  readonly attempt: number;
  readonly rank: number;
  readonly gpus: readonly string[];
  /** Nanoseconds since the epoch. */
  readonly startedAt: bigint;
  readonly endedAt?: bigint;
  readonly code?: number;
}

/** A folder that jobs of every tenant can write to and see: temporary folders are private inside a job. */
export function makeTruthFolder(): string {
  const parent = process.getuid?.() === 0 ? "/srv" : homedir();
  const folder = mkdtempSync(join(parent, "tessera-soak-"));
  chmodSync(folder, 0o777);
  return folder;
}

/** Everything that really ran, one entry per start. */
export function readTruth(folder: string): Ran[] {
  return readdirSync(folder).flatMap((name) => readRuns(name, readFileSync(join(folder, name), "utf8")));
}

export function readRuns(lease: string, text: string): Ran[] {
  const match = /^(.+)-(\d+)-(\d+)$/.exec(lease);
  if (match === null) throw new Error(`${lease} is not the name of a lease`);
  const runs: Ran[] = [];
  for (const line of text.split("\n").slice(0, -1)) {
    const [what, code, at, gpus] = line.split(" ") as [string, string, string, string?];
    if (what === "start") {
      const member = { job: match[1]!, attempt: Number(match[2]), rank: Number(match[3]) };
      runs.push({ ...member, gpus: gpus ? gpus.split(",") : [], startedAt: BigInt(at) });
    } else {
      const last = runs.pop();
      if (last === undefined || last.endedAt !== undefined) throw new Error(`${lease} ended before it began`);
      runs.push({ ...last, endedAt: BigInt(at), code: Number(code) });
    }
  }
  return runs;
}
