import type { Job } from "@tessera/wire";
import { useCall } from "../../api/use-call.ts";

/** Names may be used in accounts below, too; the run before in the same account is among as many. */
const lookedAt = 20;

/** The runs of the same name in the same account before a job, newest first; undefined until they are there. */
export function useRunsBefore(job: Job | undefined, on = true): readonly Job[] | undefined {
  const of = job ?? { name: "", project: "", submittedAt: "" };
  const { name, project, submittedAt } = of;
  // Elements of an array run beside each other: none of them was before another.
  const isElement = job?.array !== undefined;
  const query = { name, project, before: submittedAt, state: "all" as const, limit: lookedAt };
  const { data } = useCall("listJobs", { query }, { on: on && job !== undefined && !isElement });
  if (isElement) return [];
  return data?.items.filter((each) => each.project === project);
}
