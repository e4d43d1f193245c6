/**
 * What may differ from the base, each with its reason: a mended fault, or a decision that moved into the journal.
 * Everything else that differs is a fault. Empty again for the next base.
 */
export const accepted = {
  /** A whole stream, by its name: `"scenario basics.yaml": "…"`. */
  streams: {},
  /** Fields that the base does not have, by kind and path: `"job-placed.pass": "…"`, `"job-submitted.spec.pool": "…"`. */
  fields: {},
  /** Kinds of events that the base does not have: `"pass-ended": "…"`. */
  kinds: { "turn-taken": "rounds of turns became facts of the journal [B6]" },
  /** Cases that may be slower or larger, by name: `"full": "…"`. */
  speed: {},
};
