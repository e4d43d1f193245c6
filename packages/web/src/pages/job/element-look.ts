import type { Job } from "@tessera/wire";
import { outcomes, type Tone } from "../../design/chip.tsx";

/** The colour and the word of an element in the picture of its array. */
export function lookOf({ state, outcome, class: as }: Pick<Job, "state" | "outcome" | "class">): {
  tone: Tone;
  word: string;
} {
  if (state === "ended") return { tone: outcomes[outcome ?? ""]?.tone ?? "down", word: outcome ?? "ended" };
  if (state === "waiting") return { tone: "idle", word: "waiting" };
  return { tone: state === "stopping" ? "leaving" : as === "burst" ? "burst" : "guaranteed", word: state };
}
