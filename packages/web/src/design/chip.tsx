import type { Job, WaitReason } from "@tessera/wire";
import { waitingReasons } from "@tessera/wire/reasons";
import type { ReactNode } from "react";
import { colourOf, type Hue } from "./hues.ts";
import { hueOf, meanings } from "./meanings.ts";

export type Tone =
  | "guaranteed"
  | "burst"
  | "leaving"
  | "idle"
  | "booked"
  | "maintenance"
  | "down"
  | "healthy"
  | "unknown";
type Shape = "dot" | "square" | "ring" | "cross";

interface ChipProps {
  readonly tone?: Tone;
  /** A CSS colour instead of a tone, for what charts show too. */
  readonly colour?: string | undefined;
  readonly shape?: Shape;
  readonly children: ReactNode;
}

/** A word with a mark; colour and shape both show its kind. */
export function Chip({ tone = "idle", colour = `var(--${tone})`, shape = "dot", children }: ChipProps) {
  return (
    <span className="chip">
      <i className={`mark ${shape}`} style={shape === "ring" ? { borderColor: colour } : { background: colour }} />
      {children}
    </span>
  );
}

type Standing = Pick<Job, "state" | "outcome" | "held">;

/** The state or outcome of a job in one word, with its hue in all pictures. */
export function jobLook({ state, outcome, held }: Standing): { word: string; hue: Hue } {
  if (state === "ended") return { word: outcome ?? "ended", hue: hueOf("outcome", outcome ?? "") ?? "ink" };
  const word = held ? "held" : state;
  return { word, hue: meanings.state[word] };
}

function shapeOf({ state, outcome, held }: Standing): Shape {
  if (state === "ended") return outcome === "succeeded" ? "square" : "cross";
  return held || state === "waiting" || state === "starting" ? "ring" : "dot";
}

/** The state of a job in a word. */
export function StateChip({ job }: { job: Standing & Pick<Job, "class" | "exitCode"> }) {
  const { word, hue } = jobLook(job);
  const isUp = word === "starting" || word === "running";
  const code = job.state !== "ended" || !job.exitCode ? "" : `, code ${job.exitCode}`;
  return (
    <Chip colour={colourOf(isUp && job.class ? meanings.class[job.class] : hue)} shape={shapeOf(job)}>
      {isUp && job.class ? `${word} · ${job.class}` : `${word}${code}`}
    </Chip>
  );
}

export function ReasonChip({ reason }: { reason: WaitReason | undefined }) {
  if (reason === undefined) return null;
  return (
    <Chip colour={colourOf(meanings.reason[reason.kind])} shape="square">
      {waitingReasons[reason.kind].title}
    </Chip>
  );
}
