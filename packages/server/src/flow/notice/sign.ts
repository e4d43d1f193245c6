import {
  type Command,
  type CommandInput,
  isRefusal,
  type OperationId,
  type ReadonlyState,
  type Refusal,
} from "@tessera/core";
import type { PrivateWrite } from "../../store/port.ts";
import type { Asker, Done } from "../control.ts";
import { newId } from "../ids.ts";
import { changeOf } from "./change.ts";
import type { Origins } from "./origins.ts";

/** A command as the journal keeps it: with the address it came from and what it changes. Sent through `put`. */
export async function signAndPut(
  { origins, state }: { readonly origins: Origins; readonly state: ReadonlyState },
  command: Command,
  { actor, request, idempotency, address }: Asker,
  privates: readonly PrivateWrite[],
  put: (input: CommandInput, privates: readonly PrivateWrite[]) => Promise<Done | Refusal>,
): Promise<Done | Refusal> {
  const op = newId("op_") as OperationId;
  const user = actor.user === "system" ? undefined : actor.user;
  const origin = address === undefined ? undefined : origins.of(user, address);
  const change = changeOf(command, state);
  const input: CommandInput = {
    kind: "command",
    v: 1,
    op,
    actor: origin === undefined ? actor : { ...actor, origin: origin.name },
    request,
    command,
    ...(change !== undefined && { change }),
    ...(idempotency !== undefined && { idempotency }),
  };
  if (origin === undefined || origin.rows.length === 0) return put(input, privates);
  const answer = await put(input, [...privates, ...origin.rows]);
  // A repeated request writes nothing, so its row goes with the next one.
  if (!isRefusal(answer) && !answer.repeated) origins.written(origin.rows);
  return answer;
}
