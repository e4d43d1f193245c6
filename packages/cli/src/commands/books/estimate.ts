import type { BodyOf, Estimate } from "@tessera/wire";
import { moneyText } from "@tessera/wire/money";
import type { Command } from "commander";
import { examples } from "../../help.ts";
import { readSpecFile } from "../../job/spec-file.ts";
import { emitList, emitObject } from "../../output/emit.ts";
import type { Session } from "../../session.ts";
import { located } from "../jobs/run.ts";

export function define(command: Command, session: Session): void {
  command
    .description(
      "Says what jobs would cost before they run: by the hour, and for their time limit where they have one.",
    )
    .argument("<file>", "a job file; - is standard input");
  examples(command, ["tess estimate job.yaml", "tess estimate job.yaml -o json"]);
  command.action((file: string) => estimate(session, file));
}

async function estimate(session: Session, file: string): Promise<void> {
  const { project } = await session.settings();
  const api = await session.api();
  const answers: Estimate[] = [];
  for (const { spec, from } of await readSpecFile(session, file)) {
    const where = session.options.project ?? spec.project ?? project;
    const body = (where === undefined ? spec : { ...spec, project: where }) as BodyOf<"estimateJob">;
    answers.push(await api.call("estimateJob", { body }).catch((error) => Promise.reject(located(error, from))));
  }
  const columns = [{ name: "text", text: ({ text }: Estimate) => text }];
  if (answers.length === 1) await emitObject(session, answers[0]!, file, estimateText);
  else await emitList(session, { items: answers }, { columns, nameOf: ({ model }) => model });
}

function estimateText({ currency, perHourMicros, totalMicros, text }: Estimate): string {
  const total = totalMicros === undefined ? "" : `, ${moneyText(totalMicros, currency)} for its whole time limit`;
  return `${moneyText(perHourMicros, currency)} an hour${total}\n${text}\n`;
}
