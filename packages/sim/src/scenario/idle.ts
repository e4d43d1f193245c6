import { idleActions } from "@tessera/core";
import { Fields, knownName, type Read } from "./fields.ts";
import type { ScenarioAccount, ScenarioIdle } from "./scenario.ts";
import { flag, lastingDuration } from "./values.ts";

const readRule = (fields: Fields): ScenarioIdle => ({
  forMs: fields.need("for", lastingDuration, "say for how long, such as for: 45m"),
  do: fields.take("do", knownName("what is done", idleActions)) ?? "stop",
});

/** What becomes of a job whose GPUs are idle. */
export const readIdle: Read<ScenarioIdle> = (value, at) =>
  readRule(new Fields(value, at, "a rule for idle jobs", ["for", "do"]));

/** The same of an account, which may let jobs relax it. */
export const readIdleTerms: Read<NonNullable<ScenarioAccount["idle"]>> = (value, at) => {
  const fields = new Fields(value, at, "a rule for idle jobs", ["for", "do", "relax"]);
  return { ...readRule(fields), ...(fields.take("relax", flag) === true && { relax: true }) };
};
