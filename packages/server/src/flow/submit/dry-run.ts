import { type Account, isRefusal, possibleParts, type Refusal, rehearse, type User } from "@tessera/core";
import type { DryRun, JobSpecBody } from "@tessera/wire";
import { renderReason } from "../../render/job.ts";
import { renderDisplaced, renderSeats } from "../../render/outlook.ts";
import { renderOffer } from "../../render/part.ts";
import { renderSpec } from "../../render/spec.ts";
import { alternativesOf, startOf } from "../explain/explain.ts";
import type { Finder } from "../find/find-job.ts";
import { gather } from "./gather.ts";

/** What would become of the job if it were submitted now. */
export async function dryRunJob(
  finder: Finder,
  user: User,
  account: Account,
  body: JobSpecBody,
): Promise<DryRun | Refusal> {
  const gathered = await gather(finder, user, account, body);
  if (isRefusal(gathered)) return gathered;
  const { state } = finder.control;
  const { spec } = gathered;
  const waitsFor = spec.after.length - gathered.endedBefore.length;
  const now = finder.control.now();
  const outcome = rehearse(state, account.no, user.id, spec, now, waitsFor);
  if (isRefusal(outcome)) return outcome;
  const { job, outlook, reason } = outcome;
  const told = reason && renderReason(reason);
  const starts = outlook.when === "now";
  const seat = starts ? outlook.placement.seats[0]?.part : undefined;
  const parts = possibleParts(state, account.no, spec)
    .map(renderOffer)
    .filter(({ mode, profile }) => seat === undefined || (mode === seat.mode && profile === seat.profile));
  return {
    project: account.path,
    spec: renderSpec(spec),
    ...(gathered.why.length > 0 && { sizing: [...gathered.why] }),
    wouldStart: starts,
    ...(starts && { class: outlook.placement.class }),
    members: renderSeats(state, outlook),
    ...(parts.length > 0 && { parts }),
    start: await startOf(finder.control, job, outlook, told),
    ...(starts &&
      outlook.displaced.length > 0 && {
        displaces: renderDisplaced(state, user, account.no, outlook),
      }),
    ...(reason !== undefined &&
      told !== undefined && {
        reason: told,
        alternatives: alternativesOf(finder.control, user, job, reason, outlook),
      }),
  };
}
