import type { Command } from "../journal/command.ts";
import type { Event } from "../journal/event.ts";
import type { Decision } from "../journal/outcome.ts";
import { idleWarningMs, idleWhy } from "../model/idle.ts";
import type { Instant } from "../model/units.ts";
import { idleRuleFor } from "../run/idle.ts";
import { stopJob } from "../run/stop.ts";
import type { State } from "../state/state.ts";

/**
 * The server has measured a job as idle [L4]: its user is warned, and when the limit is reached the job is stopped or
 * suspended. What was measured is the server's word; how long that must last is decided here, by the rule of now.
 */
export function idleJob(state: State, command: Extract<Command, { kind: "job.idle" }>, now: Instant): Decision {
  const { job: id, attempt, activity, since } = command;
  const job = state.jobById.get(id);
  if (job === undefined || job.state !== "running" || job.attempt !== attempt) return { events: [] };
  const rule = idleRuleFor(state, job);
  if (rule === undefined || activity >= rule.gpuBelow || since < job.startedAt) return { events: [] };
  const actsAt = since + rule.forMs;
  const told: Event = {
    kind: "job-idle",
    v: 1,
    at: now,
    job: job.no,
    activity,
    below: rule.gpuBelow,
    since,
    actsAt,
    does: rule.do,
  };
  if (now < actsAt) return { events: rule.do === "notify" || now < actsAt - idleWarningMs(rule) ? [] : [told] };
  if (rule.do === "notify") return { events: [told] };
  const why = idleWhy(command, rule);
  if (rule.do === "stop") return { events: stopJob(state, job, "idle", now, undefined, why) };
  const held: Event[] = job.held ? [] : [{ kind: "job-held", v: 1, at: now, job: job.no, held: true }];
  return { events: [...held, ...stopJob(state, job, "suspend", now, undefined, why)] };
}
