import type { BodyOf, Estimate } from "@tessera/wire";
import { moneyText } from "@tessera/wire/money";
import type { Command } from "commander";
import { usageFailure } from "../../failure.ts";
import { examples } from "../../help.ts";
import { located } from "../../job/mistakes.ts";
import { addSpecFlags, type SpecFlags } from "../../job/spec-flags.ts";
import { emitList, emitObject } from "../../output/emit.ts";
import type { Session } from "../../session.ts";
import { withoutFolders } from "../../snapshot/attach.ts";
import { documentsOf } from "../jobs/run.ts";

export function define(command: Command, session: Session): void {
  command
    .description(
      "Says what jobs would cost before they run: by the hour, and for their time limit where they have one.\n" +
        "The job comes from a file, from the flags of tess run, or both.",
    )
    .argument("[file]", "a job file; - is standard input");
  addSpecFlags(command);
  examples(command, [
    "tess estimate job.yaml",
    "tess estimate --gpus H100:8 --max-time 2h",
    "tess estimate job.yaml -o json",
  ]);
  command.action((file: string | undefined, flags: SpecFlags) => estimate(session, file, flags));
}

async function estimate(session: Session, file: string | undefined, flags: SpecFlags): Promise<void> {
  if (file === undefined && flags.gpus === undefined && flags.model === undefined)
    throw usageFailure("what should be estimated?", "name a job file, or its GPUs: tess estimate --gpus H100:8");
  // What a job runs does not change its price.
  const written = await documentsOf(session, file, flags, file === undefined ? { run: "true" } : {});
  const documents = withoutFolders(written);
  const api = await session.api();
  const answers: Estimate[] = [];
  for (const document of documents) {
    const asked = api.call("estimateJob", { body: document.spec as BodyOf<"estimateJob"> });
    answers.push(await asked.catch((error) => Promise.reject(located(error, document, documents.length > 1))));
  }
  const columns = [{ name: "text", text: ({ text }: Estimate) => text }];
  if (answers.length === 1) await emitObject(session, answers[0]!, file ?? "estimate", estimateText);
  else await emitList(session, { items: answers }, { columns, nameOf: ({ model }) => model });
}

function estimateText({ currency, perHourMicros, totalMicros, text }: Estimate): string {
  const total = totalMicros === undefined ? "" : `, ${moneyText(totalMicros, currency)} for its whole time limit`;
  return `${moneyText(perHourMicros, currency)} an hour${total}\n${text}\n`;
}
