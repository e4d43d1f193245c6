import { Failure } from "../failure.ts";
import type { Session } from "../session.ts";

/** Acts on each of several things; one that is refused does not keep the others from being tried. */
export async function eachOf<Thing, Done>(
  session: Session,
  things: readonly Thing[],
  act: (thing: Thing) => Promise<Done>,
  show: (done: readonly Done[]) => Promise<void>,
): Promise<void> {
  const done: Done[] = [];
  const failures: Failure[] = [];
  for (const thing of things) {
    try {
      done.push(await act(thing));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      failures.push(error);
    }
  }
  if (done.length > 0) await show(done);
  const [first, ...others] = failures;
  for (const { message } of others.toReversed()) await session.note(`tess: ${message}`);
  if (first !== undefined) throw first;
}
