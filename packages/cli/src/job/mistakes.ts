import { Failure, type Mistake } from "../failure.ts";
import type { SpecDocument } from "./spec-file.ts";

/** A refusal of a job with the places of its mistakes: in the file, or the flag that gave the value. */
export function located(error: unknown, document: SpecDocument, many = false): unknown {
  if (!(error instanceof Failure)) return error;
  const { exitCode, code, hint, requestId, more } = error;
  const mistakes = error.mistakes.map((mistake) => placed(mistake, document));
  const { from } = document;
  const named = many ? `${from}: ${error.message}` : error.message;
  return new Failure(exitCode, {
    code,
    message: mistakes.length > 1 ? `${from} has ${mistakes.length} mistakes` : named,
    ...(hint !== undefined && { hint }),
    ...(requestId !== undefined && { requestId }),
    mistakes,
    more,
    cause: error,
  });
}

function placed(mistake: Mistake, { locate, given = [] }: SpecDocument): Mistake {
  const { field = "", value } = mistake;
  const [top = ""] = field.split(/[.[]/);
  if (given.includes(top)) return { ...mistake, flag: top === "run" ? "after --" : `--${top.replaceAll("_", "-")}` };
  // Without a value it is about the name: unknown, or missing.
  return locate === undefined ? mistake : { ...mistake, ...locate(field, value === undefined ? "name" : "value") };
}
