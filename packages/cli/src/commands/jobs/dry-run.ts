import type { BodyOf, DryRun } from "@tessera/wire";
import type { Api } from "../../http.ts";
import { located } from "../../job/mistakes.ts";
import { alternativesText, displacesText, startText } from "../../job/outlook.ts";
import type { SpecDocument } from "../../job/spec-file.ts";
import { emitList, emitObject } from "../../output/emit.ts";
import { fieldsText, objectFields } from "../../output/fields.ts";
import { partsText } from "../../output/sharing.ts";
import { renderTable } from "../../output/table.ts";
import type { Session } from "../../session.ts";
import { sentence, textsOf } from "./explain.ts";

/** Says what would become of each job; nothing is submitted. */
export async function showDryRun(session: Session, api: Api, documents: readonly SpecDocument[]): Promise<void> {
  const answers: DryRun[] = [];
  for (const document of documents) {
    const asked = api.call("dryRunJob", { body: document.spec as BodyOf<"dryRunJob"> });
    answers.push(await asked.catch((error) => Promise.reject(located(error, document, documents.length > 1))));
  }
  const nameOf = ({ spec, project }: DryRun) => String(spec.name ?? project);
  if (session.readable) for (const answer of answers) await session.print(dryRunText(session, answer));
  else if (answers.length === 1) await emitObject(session, answers[0]!, nameOf(answers[0]!), () => "");
  else await emitList(session, { items: answers }, { columns: [{ name: "name", text: nameOf }], nameOf });
}

function dryRunText(session: Session, answer: DryRun): string {
  const { paint, now } = session;
  const name = paint("bold", String(answer.spec.name ?? "The job"));
  const { sizing = [] } = answer;
  const sized = sizing.length === 0 ? "" : `\n${paint("bold", "Sizing")}\n${indented(`${sizing.join("\n")}\n`)}`;
  const spec = `${sized}\n${paint("bold", "Spec")}\n${fieldsText(objectFields(answer.spec), paint, "  ")}`;
  const parts = partsText(answer.parts, paint);
  const { start, displaces, alternatives = [] } = answer;
  if (!answer.wouldStart) {
    const { reason } = answer;
    const why = reason === undefined ? "" : ` because ${paint("yellow", textsOf(reason).because)}`;
    const detail = reason === undefined ? "" : ` ${sentence(reason.detail)}`;
    const sooner = indented(alternativesText(alternatives, session));
    const more = sooner === "" ? "" : `\nWhat would start it sooner:\n${sooner}`;
    const waits = `${name} would wait in ${answer.project}${why}.${detail}`;
    return `${waits}\n${startText(start, now())}\n${more}${parts}${spec}`;
  }
  const places = renderTable(
    [
      { name: "rank", text: ({ rank }) => String(rank), right: true },
      { name: "node", text: ({ node }) => node },
      { name: "gpus", text: ({ gpus, model, part }) => (gpus === 0 ? "-" : `${part ?? gpus} ${model}`) },
    ],
    answer.members,
    { headers: true, paint, now: now() },
  );
  const as = answer.class === undefined ? "" : ` as ${answer.class}`;
  const when = displaces === undefined ? "start at once" : "start when room has been made for it";
  const leaving = displaces === undefined ? "" : `${displacesText(displaces)}\n`;
  return `${name} would ${paint("green", when)} in ${answer.project}${as}\n${leaving}${indented(places)}${parts}${spec}`;
}

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, "  ");
}
