import type { BodyOf, DryRun } from "@tessera/wire";
import type { Api } from "../http.ts";
import type { SpecDocument } from "../job/spec-file.ts";
import { emitList, emitObject } from "../output/emit.ts";
import { fieldsText, objectFields } from "../output/fields.ts";
import { renderTable } from "../output/table.ts";
import type { Session } from "../session.ts";
import { located } from "./run.ts";

/** Says what would become of each job; nothing is submitted. */
export async function showDryRun(session: Session, api: Api, documents: readonly SpecDocument[]): Promise<void> {
  const answers: DryRun[] = [];
  for (const { spec, from } of documents) {
    const asked = api.call("dryRunJob", { body: spec as BodyOf<"dryRunJob"> });
    answers.push(await asked.catch((error) => Promise.reject(documents.length === 1 ? error : located(error, from))));
  }
  const nameOf = ({ spec, project }: DryRun) => String(spec.name ?? project);
  if (session.readable) for (const answer of answers) await session.print(dryRunText(session, answer));
  else if (answers.length === 1) await emitObject(session, answers[0]!, nameOf(answers[0]!), () => "");
  else await emitList(session, { items: answers }, { columns: [{ name: "name", text: nameOf }], nameOf });
}

function dryRunText({ paint, now, format }: Session, answer: DryRun): string {
  const name = paint("bold", String(answer.spec.name ?? "The job"));
  const spec = format === "wide" ? fieldsText(objectFields(answer.spec), paint, "  ") : "";
  if (!answer.wouldStart) {
    const { kind, detail } = answer.reason ?? { kind: "unknown", detail: "the server gave no reason" };
    return `${name} would wait in ${answer.project}: ${paint("yellow", kind)}, ${detail}\n${spec}`;
  }
  const places = renderTable(
    [
      { name: "rank", text: ({ rank }) => String(rank), right: true },
      { name: "node", text: ({ node }) => node },
      { name: "gpus", text: ({ gpus, model }) => (gpus === 0 ? "-" : `${gpus} ${model}`) },
    ],
    answer.members,
    { headers: true, paint, now: now() },
  );
  const as = answer.class === undefined ? "" : ` as ${answer.class}`;
  return `${name} would ${paint("green", "start at once")} in ${answer.project}${as}\n${places.replace(/^/gm, "  ").trimEnd()}\n${spec}`;
}
