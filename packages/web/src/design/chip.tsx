import type { Job, WaitReason } from "@tessera/wire";
import { waitingReasons } from "@tessera/wire/reasons";
import type { ReactNode } from "react";
import { meanings } from "./meanings.ts";

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
  /** Instead of a tone, where charts have a colour for it. */
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

/** How each outcome of a job looks, wherever it is drawn. */
export const outcomes: Readonly<Record<string, { tone: Tone; shape: Shape }>> = {
  succeeded: { tone: "healthy", shape: "square" },
  failed: { tone: "down", shape: "cross" },
  cancelled: { tone: "maintenance", shape: "cross" },
};

/** The state of a job in a word. */
export function StateChip({ job }: { job: Pick<Job, "state" | "outcome" | "held" | "class" | "exitCode"> }) {
  if (job.state === "ended") {
    const outcome = job.outcome ?? "ended";
    const code = job.exitCode === undefined || job.exitCode === 0 ? "" : `, code ${job.exitCode}`;
    return <Chip {...(outcomes[outcome] ?? { tone: "down", shape: "cross" })}>{`${outcome}${code}`}</Chip>;
  }
  if (job.held)
    return (
      <Chip tone="maintenance" shape="ring">
        held
      </Chip>
    );
  if (job.state === "waiting")
    return (
      <Chip tone="idle" shape="ring">
        waiting
      </Chip>
    );
  if (job.state === "stopping") return <Chip tone="leaving">stopping</Chip>;
  const tone = job.class === "burst" ? "burst" : "guaranteed";
  return (
    <Chip tone={tone} shape={job.state === "starting" ? "ring" : "dot"}>
      {job.class === undefined ? job.state : `${job.state} · ${job.class}`}
    </Chip>
  );
}

export function ReasonChip({ reason }: { reason: WaitReason | undefined }) {
  if (reason === undefined) return null;
  return (
    <Chip colour={meanings[reason.kind]} shape="square">
      {waitingReasons[reason.kind].title}
    </Chip>
  );
}
