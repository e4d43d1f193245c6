import type { Command } from "../journal/command.ts";
import type { Event } from "../journal/event.ts";
import type { Decision } from "../journal/outcome.ts";
import { type Refusal, refuse, refuseAll } from "../journal/refusal.ts";
import { type EngineState, type EngineTerms, engineKinds } from "../model/engine.ts";
import type { NodeNo } from "../model/ids.ts";
import { day, type Instant } from "../model/units.ts";
import { lostAt } from "../state/apply/engines.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";
import type { State } from "../state/state.ts";
import { loseLeases } from "./lost.ts";

type EngineCommand = Extract<Command, { kind: `engine.${string}` }>;

const enginesMax = 64;
const settingsMax = 64;
const settingCharsMax = 4_096;
const lostAfterMsMax = 365 * day;
const engineName = /^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/;

/** What runs jobs, as its owner says, and whether the server reaches it. */
export function changeEngines(state: State, command: EngineCommand, now: Instant): Decision {
  const { name } = command;
  const known = state.engines.get(name);
  if (command.kind === "engine.create") return create(state, known, command, now);
  if (known === undefined) return refuse("not-found", "engine", name, "does not exist", "see: tess engine get");
  const { terms, leaving } = known;
  const changed = (other: EngineTerms, isLeaving?: true): Decision => ({
    events: [
      { kind: "engine-changed", v: 1, at: now, engine: name, terms: other, ...(isLeaving && { leaving: isLeaving }) },
    ],
  });
  switch (command.kind) {
    case "engine.edit": {
      if (command.terms.kind !== terms.kind)
        return refuse("invalid", "kind", command.terms.kind, `is not ${terms.kind}`, "create another engine instead");
      return checkTerms(command.terms) ?? changed(command.terms, leaving);
    }
    case "engine.cordon":
      return changed({ ...terms, cordoned: command.reason }, leaving);
    case "engine.up": {
      const { cordoned, ...open } = terms;
      return cordoned === undefined && leaving === undefined ? { events: [] } : changed(open);
    }
    case "engine.delete":
      return leaving ? { events: [] } : changed(terms, true);
    case "engine.reach":
      if ((command.away === undefined) === (known.away === undefined)) return { events: [] };
      return {
        events: [
          {
            kind: "engine-reached",
            v: 1,
            at: now,
            engine: name,
            ...(command.away !== undefined && { away: command.away }),
          },
        ],
      };
  }
}

function create(
  state: State,
  known: EngineState | undefined,
  { name, terms }: Extract<Command, { kind: "engine.create" }>,
  now: Instant,
): Decision {
  if (!engineName.test(name)) {
    const why = "is not a name for an engine";
    return refuse("invalid", "name", name, why, "write at most 40 letters a-z, digits and -, such as east");
  }
  if (known !== undefined)
    return refuse(
      "already-exists",
      "name",
      name,
      known.leaving ? "is being removed" : "exists already",
      known.leaving ? "wait until its jobs have ended" : `edit it (tess engine edit ${name}), or choose another name`,
    );
  if (state.engines.size >= enginesMax)
    return refuse("conflict", "name", name, `would be one engine more than ${enginesMax}`, "delete one first");
  const wrong = checkTerms(terms);
  if (wrong !== undefined) return wrong;
  return { events: [{ kind: "engine-changed", v: 1, at: now, engine: name, terms }], result: name };
}

function checkTerms({ kind, lostAfterMs, settings }: EngineTerms): Refusal | undefined {
  const mistakes: Refusal[] = [];
  if (!engineKinds.includes(kind))
    mistakes.push(
      refuse("invalid", "kind", kind, "is not a kind of engine", `write one of: ${engineKinds.join(", ")}`),
    );
  if (!Number.isInteger(lostAfterMs) || lostAfterMs < 0 || lostAfterMs > lostAfterMsMax)
    mistakes.push(
      refuse("invalid", "lostAfterMs", lostAfterMs, "is not a time up to a year", "write 0 to wait for ever"),
    );
  const entries = Object.entries(settings);
  if (entries.length > settingsMax)
    mistakes.push(refuse("invalid", "settings", entries.length, `are more than ${settingsMax}`, "leave some out"));
  for (const [key, value] of entries)
    if (key.length + value.length > settingCharsMax)
      mistakes.push(
        refuse(
          "invalid",
          `settings.${key.slice(0, 63)}`,
          value.length,
          `has more than ${settingCharsMax} characters`,
          "shorten it",
        ),
      );
  return refuseAll(mistakes);
}

/** Engines that have been out of reach for too long: what ran there is lost, and starts elsewhere by the jobs' rules. */
export function reachCame(state: State, now: Instant): Event[] {
  return [...state.engines.values()].flatMap((engine) => {
    const at = lostAt(engine);
    if (at === undefined || at > now) return [];
    return loseLeases(
      state,
      nodesOf(state, engine.name),
      `its engine ${engine.name} was out of reach for too long`,
      now,
    );
  });
}

/** Engines that leave go with their nodes when nothing runs there any more. */
export function enginesLeft(state: State, now: Instant): Event[] {
  const events: Event[] = [];
  for (const { name, leaving } of state.engines.values()) {
    if (!leaving) continue;
    const nodes = nodesOf(state, name);
    if ([...nodes].some((no) => state.fleet.node(no).leases > 0)) continue;
    for (const node of nodes) events.push({ kind: "node-removed", v: 1, at: now, node });
    events.push({ kind: "engine-changed", v: 1, at: now, engine: name });
  }
  return events;
}

function nodesOf({ fleet }: ReadonlyState, engine: string): ReadonlySet<NodeNo> {
  return new Set(fleet.nodes.flatMap((node) => (node?.facts.engine === engine ? [node.no] : [])));
}
