import type { Decision } from "../journal/outcome.ts";
import { refuse } from "../journal/refusal.ts";
import type { TrailCommand } from "../journal/trail-command.ts";
import type { Instant } from "../model/units.ts";
import type { State } from "../state/state.ts";
import { privateId } from "../state/trail.ts";

/** Each anchor is written to every few seconds. */
const anchorsMax = 8;
/** Each origin costs a row in the snapshot for ever. */
const originsMax = 64;

/** Commands about the checks on the journal's own history. */
export function changeTrail({ trail }: State, command: TrailCommand, now: Instant): Decision {
  const head = { v: 1, at: now } as const;
  switch (command.kind) {
    case "key.name": {
      const { publicKey, signature } = command;
      if (trail.keys.at(-1)?.publicKey === publicKey) return { events: [] };
      const signed = signature === undefined ? {} : { signature };
      return { events: [{ ...head, kind: "signing-key-named", publicKey, ...signed }] };
    }
    case "privates.note": {
      const changed = command.replaces?.find((row) => trail.privates.get(privateId(row.kind, row.key)) !== row.digest);
      if (changed !== undefined) {
        return refuse("conflict", changed.kind, changed.key, "was changed in between", "read it again");
      }
      return { events: [] }; // the notes that the input carries are added for every command
    }
    case "keys.note": {
      const changes = command.changes.filter(({ key, is }) => trail.held.has(key) !== (is === "made"));
      return { events: changes.length === 0 ? [] : [{ ...head, kind: "keys-noted", changes }] };
    }
    case "anchor.set": {
      const { id, anchor } = command;
      if (!trail.anchors.has(id) && trail.anchors.size >= anchorsMax) {
        const detail = `there are ${anchorsMax} anchors already, which is the most`;
        return refuse("conflict", "to", anchor.to, detail, "remove one first: tess anchor remove");
      }
      const same = [...trail.anchors].find(([, has]) => has.kind === anchor.kind && has.to === anchor.to);
      if (same !== undefined && same[0] !== id) {
        return refuse("conflict", "to", anchor.to, `is anchor ${same[0]} already`, "nothing needs to be done");
      }
      return { events: [{ ...head, kind: "anchor-changed", id, anchor }], result: id };
    }
    case "anchor.drop":
      if (!trail.anchors.has(command.id)) {
        const fix = "tess anchor list shows them";
        return refuse("not-found", "anchor", command.id, "there is no such anchor", fix);
      }
      return { events: [{ ...head, kind: "anchor-changed", id: command.id }] };
    case "head.witness":
      return witness(trail, command, now);
  }
}

function witness(
  { witnessed }: State["trail"],
  { origin, publicKey, row, line }: Extract<TrailCommand, { kind: "head.witness" }>,
  now: Instant,
): Decision {
  const known = witnessed.get(origin);
  if (known?.line === line) return { events: [] };
  if (known !== undefined && row <= known.row) {
    const detail = `is row ${row}, but row ${known.row} of this server is kept here already: ${known.line}`;
    return refuse("conflict", "head", line, detail, "the sender's journal was cut short or written again");
  }
  if (known === undefined && witnessed.size >= originsMax) {
    const detail = `heads of ${originsMax} servers are kept here already, which is the most`;
    return refuse("conflict", "head", line, detail, "use another server");
  }
  return { events: [{ kind: "head-witnessed", v: 1, at: now, origin, publicKey, row, line }] };
}
