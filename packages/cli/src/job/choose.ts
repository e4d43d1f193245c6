import type { AmbiguousName } from "../failure.ts";
import { renderTable } from "../output/table.ts";
import { ageText } from "../output/time.ts";
import { askLine, canAsk } from "../prompt.ts";
import type { Session } from "../session.ts";

/** Asks which of several live jobs of one name is meant; a script is told their ids and fails. */
export async function chooseJob(session: Session, several: AmbiguousName): Promise<string> {
  const { jobs } = several;
  if (!canAsk(session)) throw several;
  const now = session.now();
  const numbered = jobs.map((job, i) => ({ ...job, no: i + 1 }));
  const table = renderTable<(typeof numbered)[number]>(
    [
      { name: "no", text: ({ no }) => String(no), right: true },
      { name: "id", text: ({ id }) => id },
      { name: "state", text: ({ state }) => state },
      { name: "project", text: ({ project }) => project },
      { name: "user", text: ({ user }) => user },
      { name: "age", text: ({ submittedAt }) => ageText(submittedAt, now) },
    ],
    numbered,
    { headers: true, paint: session.paint, now },
  );
  await session.note(`${several.message}\n${table.trimEnd()}`);
  const answer = (await askLine(session, `Which one? [1-${jobs.length}] `)).trim();
  const chosen = jobs[Number(answer) - 1] ?? jobs.find(({ id }) => id === answer);
  if (chosen === undefined) throw several;
  return chosen.id;
}
