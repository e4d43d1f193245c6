import type { Command, Refusal } from "@tessera/core";
import type { Capabilities } from "@tessera/engine";
import type { Asker, Done } from "../flow/control.ts";
import type { PrivateWrite } from "../store/port.ts";

/** What the asking thread has seen of the journal, and its time: the worker is never behind either; and what engines can do. */
export interface Seen {
  readonly seq: number;
  readonly now: number;
  readonly capabilities: Capabilities;
}

/** To a worker. */
export type ToWorker =
  | (Seen & {
      readonly kind: "run";
      readonly id: number;
      readonly task: string;
      readonly input: unknown;
      /** One number, which is no longer 0 when the task is to stop. */
      readonly stop: Int32Array<SharedArrayBuffer>;
    })
  /** A change that a task asked for was made or refused; `seq` is the row up to which it can be read. */
  | { readonly kind: "asked"; readonly no: number; readonly answer: Done | Refusal; readonly seq: number }
  | { readonly kind: "ask-failed"; readonly no: number; readonly message: string };

/** From a worker. */
export type FromWorker =
  /** It has what its tasks need, such as a state of its own, and begins with the first. */
  | { readonly kind: "opened" }
  | { readonly kind: "done"; readonly id: number; readonly output: unknown }
  | { readonly kind: "stopped"; readonly id: number }
  | { readonly kind: "failed"; readonly id: number; readonly message: string; readonly outage: boolean }
  | {
      readonly kind: "ask";
      readonly no: number;
      readonly command: Command;
      readonly by: Asker;
      readonly privates: readonly PrivateWrite[];
    };

/** The task was stopped: its caller is gone, or it took too long. */
export class Stopped extends Error {}
