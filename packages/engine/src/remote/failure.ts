import type { LeaseId } from "@tessera/core";
import { EntryRefused } from "../entry.ts";
import { EngineFenced } from "../port.ts";

/** Something that was sent does not have the shape of the call. */
export class BadMessage extends Error {}

/** A failure on its way through the socket. */
export interface SentFailure {
  readonly kind: "fenced" | "entry-refused" | "bad-message" | "failed";
  readonly message: string;
  readonly lease?: LeaseId;
  readonly epoch?: number;
  readonly epochSeen?: number;
}

export function sentFailure(error: unknown, lease?: LeaseId): SentFailure {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof EngineFenced)
    return { kind: "fenced", message, epoch: error.epoch, epochSeen: error.epochSeen, ...(lease && { lease }) };
  if (error instanceof EntryRefused) return { kind: "entry-refused", message };
  return { kind: error instanceof BadMessage ? "bad-message" : "failed", message };
}

export function failureOf({ kind, message, lease, epoch, epochSeen }: SentFailure): Error {
  if (kind === "fenced" && lease !== undefined && epoch !== undefined && epochSeen !== undefined)
    return new EngineFenced(lease, epoch, epochSeen);
  return kind === "entry-refused" ? new EntryRefused(message) : new Error(message);
}
