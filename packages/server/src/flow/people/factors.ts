import { isRefusal, type Refusal, type User } from "@tessera/core";
import { type Factor, type Factors, factorRow } from "../../access/factors.ts";
import type { Asker, ControlPlane } from "../control.ts";

/** Commits a factor, or what is left of its recovery codes, and remembers it. */
export async function writeFactor(
  control: ControlPlane,
  factors: Factors,
  user: User,
  id: string,
  factor: Factor,
  by: Asker,
): Promise<Refusal | undefined> {
  const command = { kind: "factor.set", user: user.id, factor: id, what: factor.kind } as const;
  const done = await control.ask(command, by, [factorRow(user.id, id, factor)]);
  if (isRefusal(done)) return done;
  factors.set(user.id, id, factor);
  return undefined;
}

/** Removes a factor with all that is kept of it; one that is not there needs nothing. */
export async function removeFactor(
  control: ControlPlane,
  factors: Factors,
  user: User,
  id: string,
  by: Asker,
): Promise<Refusal | undefined> {
  if (!factors.of(user.id).has(id)) return undefined;
  const rows = ["factor", "factor-use"].map((kind) => ({ kind, key: `${user.id}/${id}`, value: null }));
  const done = await control.ask({ kind: "factor.remove", user: user.id, factor: id }, by, rows);
  if (isRefusal(done)) return done;
  factors.remove(user.id, id);
  return undefined;
}
