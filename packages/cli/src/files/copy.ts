import { exit } from "../exit.ts";
import { Failure } from "../failure.ts";
import type { Api } from "../http.ts";
import { type Progress, progressOf } from "../job/progress.ts";
import { countText, sizeText } from "../output/bytes.ts";
import type { Session } from "../session.ts";
import { printable, redraws } from "../terminal.ts";
import type { Chosen } from "./choose.ts";
import { fetchFile, leadsOut } from "./fetch.ts";

/** Fetches the chosen files into a folder, with a moving line on a terminal; says how much that was. */
export async function copyAll(
  session: Session,
  api: Api,
  job: string,
  chosen: readonly Chosen[],
  folder: string,
): Promise<string> {
  const { stderr, env } = session.terminal;
  const progress: Progress | undefined = redraws(stderr, env) ? progressOf(session) : undefined;
  const leave = new AbortController();
  const release = session.terminal.onInterrupt(() => leave.abort());
  const kept = chosen.filter(({ file, to }) => file.link === undefined || !leadsOut(to, file.link));
  for (const { file } of chosen.filter((each) => !kept.includes(each)))
    await session.note(
      `${printable(file.path)} is not copied: it is a link out of the folder, to ${printable(file.link!)}`,
    );
  const all = kept.reduce((sum, { file }) => sum + file.bytes, 0);
  let done = 0;
  try {
    // Links last: nothing is then written through one of ours.
    for (const { file, to } of kept.toSorted((a, b) => Number("link" in a.file) - Number("link" in b.file))) {
      const tell = () => progress?.phase("copy", `${sizeText(done)} of ${sizeText(all)}  ${file.path}`);
      tell();
      const onBytes = (bytes: number) => {
        done += bytes;
        tell();
      };
      await fetchFile({ api, job, signal: leave.signal, onBytes }, file, folder, to);
    }
    const told = `${countText(kept.length)} (${sizeText(done)})`;
    progress?.phase("copy", told);
    progress?.end();
    return told;
  } catch (error) {
    progress?.end(true);
    if (leave.signal.aborted) throw new Failure(exit.interrupted, { code: "interrupted", message: "interrupted" });
    throw error;
  } finally {
    release();
  }
}
