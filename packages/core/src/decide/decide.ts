import type { Command, CommandInput } from "../journal/command.ts";
import type { Event } from "../journal/event.ts";
import type { Input } from "../journal/input.ts";
import type { Decision } from "../journal/outcome.ts";
import { isRefusal, refuse } from "../journal/refusal.ts";
import type { AccountNo, JobNo, NodeNo } from "../model/ids.ts";
import type { Instant } from "../model/units.ts";
import { priceCame } from "../run/price-watch.ts";
import { takeReport } from "../run/take-report.ts";
import { keysKeptMs } from "../state/apply/apply.ts";
import { queueOrPark } from "../state/apply/queued.ts";
import type { State } from "../state/state.ts";
import { changeAccess } from "./access.ts";
import { changeAccounts } from "./accounts.ts";
import { changeBooks } from "./books.ts";
import { editJob } from "./edit.ts";
import { changeEngines, reachCame } from "./engines.ts";
import { enterJob } from "./enter.ts";
import { changeExchanges } from "./exchanges.ts";
import { changeHealth } from "./health.ts";
import { idleJob } from "./idle.ts";
import { changeJob, deadlineCame, submitJob } from "./jobs.ts";
import { labelJob } from "./label.ts";
import { maintenanceCame } from "./maintenance.ts";
import { changeNodes, drainCame } from "./nodes.ts";
import { setPolicy } from "./policy.ts";
import { changePools } from "./pools.ts";
import { changeProviders } from "./providers.ts";
import { changeTrail } from "./trail.ts";
import { windowCame } from "./windows.ts";

/** The decision on one input. Changes nothing; the same state, input and time give the same answer anywhere (S26). */
export function decide(state: State, input: Input, now: Instant): Decision {
  switch (input.kind) {
    case "command":
      return withPrivates(decideOnce(state, input, now), input, now);
    case "report":
      return { events: takeReport(state, input.report, now) };
    case "tick":
      return { events: [] };
  }
}

/** What is decided covers the private rows that are written with it. */
function withPrivates(decision: Decision, { privates: rows = [] }: CommandInput, now: Instant): Decision {
  if (rows.length === 0 || isRefusal(decision) || decision.repeated === true) return decision;
  return { ...decision, events: [...decision.events, { kind: "privates-noted", v: 1, at: now, rows }] };
}

/** A create that repeats an idempotency key is answered from memory: same body, same answer; other body, refused (S15). */
function decideOnce(state: State, input: CommandInput, now: Instant): Decision {
  const { idempotency, actor, command } = input;
  if (idempotency === undefined) return decideCommand(state, command, now);
  const used = state.keys.get(`${actor.user}/${idempotency.key}`);
  if (used !== undefined && used.at > now - keysKeptMs) {
    if (used.bodyHash === idempotency.bodyHash) return { events: [], result: used.result, repeated: true };
    return refuse(
      "key-reused",
      "Idempotency-Key",
      idempotency.key,
      "was used for another request",
      "use a new key for a new request",
    );
  }
  const decision = decideCommand(state, command, now);
  if (isRefusal(decision) || decision.result === undefined) return decision;
  const { key, bodyHash } = idempotency;
  const remember: Event = { kind: "key-used", v: 1, at: now, user: actor.user, key, bodyHash, result: decision.result };
  return { ...decision, events: [...decision.events, remember] };
}

function decideCommand(state: State, command: Command, now: Instant): Decision {
  switch (command.kind) {
    case "job.submit":
      return submitJob(state, command, now);
    case "job.cancel":
    case "job.hold":
    case "job.release":
    case "job.suspend":
    case "job.requeue":
      return changeJob(state, command, now);
    case "job.enter":
      return enterJob(state, command, now);
    case "job.idle":
      return idleJob(state, command, now);
    case "job.edit":
      return editJob(state, command, now);
    case "job.label":
      return labelJob(state, command, now);
    case "account.create":
    case "account.edit":
    case "account.window":
    case "account.delete":
    case "secret.set":
    case "secret.delete":
    case "volume.create":
    case "volume.delete":
    case "volume.grant":
      return changeAccounts(state, command, now);
    case "node.register":
    case "node.cordon":
    case "node.drain":
    case "node.maintenance":
    case "node.up":
    case "node.down":
      return changeNodes(state, command, now);
    case "node.finding":
    case "node.checked":
    case "repair.close":
      return changeHealth(state, command, now);
    case "engine.create":
    case "engine.edit":
    case "engine.cordon":
    case "engine.up":
    case "engine.delete":
    case "engine.reach":
      return changeEngines(state, command, now);
    case "pool.create":
    case "pool.edit":
    case "pool.delete":
      return changePools(state, command, now);
    case "user.create":
    case "user.disable":
    case "user.enable":
    case "user.erase":
    case "password.set":
    case "factor.set":
    case "factor.remove":
    case "role.bind":
    case "role.unbind":
    case "role.follow":
    case "token.create":
    case "token.revoke":
    case "token.expiring":
      return changeAccess(state, command, now);
    case "provider.set":
    case "provider.remove":
    case "scim.open":
    case "scim.close":
      return changeProviders(state, command, now);
    case "exchange.set":
    case "exchange.remove":
      return changeExchanges(state, command, now);
    case "policy.set":
      return setPolicy(state, command.policy, now);
    case "price.add":
    case "price.foresee":
    case "job.overspend":
    case "contract.set":
    case "tenant.bill":
    case "budget.set":
    case "budget.drop":
    case "budget.reach":
    case "budget.foresee":
    case "credit.reach":
    case "invoice.issue":
    case "ledger.post":
      return changeBooks(state, command, now);
    case "key.name":
    case "privates.note":
    case "keys.note":
    case "anchor.set":
    case "anchor.drop":
    case "head.witness":
      return changeTrail(state, command, now);
    case "audit.note":
      return { events: [{ kind: "audit-noted", v: 1, at: now, notes: command.notes.length }] };
    case "epoch.begin":
      return { events: [{ kind: "epoch-began", v: 1, at: now, epoch: state.epoch + 1, reason: command.reason }] };
  }
}

/** Acts on due timers: jobs whose time has come join the queue; deadlines, drains and windows take effect. */
export function decideDue(state: State, now: Instant, act: (events: readonly Event[]) => void): void {
  for (const timer of state.timers.takeDue(now)) {
    switch (timer.kind) {
      case "wake": {
        const job = state.jobs.get(timer.subject as JobNo);
        if (job !== undefined) queueOrPark(state, job);
        break;
      }
      case "exposed":
        // A waiting job may claim its seats from now on [T8].
        if (state.jobs.has(timer.subject as JobNo)) state.waiting.roomChanged();
        break;
      case "moves":
        // The hourly budget of moves has room again [T9].
        state.waiting.roomChanged();
        break;
      case "price":
        act(priceCame(state, now));
        break;
      case "deadline":
        act(deadlineCame(state, timer.subject as JobNo, now));
        break;
      case "window":
        act(windowCame(state, timer.subject as AccountNo, now));
        break;
      case "maintenance":
        act(maintenanceCame(state, timer.subject as NodeNo, timer.at, now));
        break;
      case "drain":
        act(drainCame(state, timer.subject as NodeNo, now));
        break;
      case "reach":
        act(reachCame(state, now));
        break;
    }
  }
}
