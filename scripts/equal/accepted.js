const restart = "a restarted scheduler now decides as one that went on [S26]";
const marks = "seats being left are held or not by the job's own quota, not by marks of another search [T7, S26]";

/**
 * What may differ from the base, each with its reason: a mended fault, or a decision that moved into the journal.
 * Everything else that differs is a fault. Empty again for the next base.
 */
export const accepted = {
  /** A whole stream, by its name: `"scenario basics.yaml": "…"`. */
  streams: {
    "prover case 263": restart,
    "prover case 291": restart,
    "prover case 339": restart,
    "prover case 451": restart,
    "prover case 571": restart,
    "prover case 699": restart,
    "prover case 1307": restart,
    "prover case 1427": restart,
    "prover case 1447": restart,
    "prover case 1499": restart,
    "prover case 1879": restart,
    "prover case 618": marks,
    "prover case 795": marks,
    "prover case 1985": marks,
    "bench mixed": "turns are facts [B6]: with --quick more than 256 groups wait",
    "bench full": "turns are facts and plans are worked out in every pass where very many groups wait [B6]",
  },
  /** Fields that the base does not have, by kind and path: `"job-placed.pass": "…"`, `"job-submitted.spec.pool": "…"`. */
  fields: {},
  /** Kinds of events that the base does not have: `"pass-ended": "…"`. */
  kinds: { "turn-taken": "rounds of turns became facts of the journal [B6]" },
  /** Cases that may be slower or larger, by name: `"full": "…"`. */
  speed: { full: "plans are worked out in every pass, and turns go by facts alone [B6]" },
};
