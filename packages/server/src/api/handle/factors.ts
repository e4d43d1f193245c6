import type { UserId } from "@tessera/core";
import type { AnswerOf, FactorShape } from "@tessera/wire";
import type { Factor } from "../../access/factors.ts";
import { isSession } from "../../access/session.ts";
import { timestamp } from "../../render/quantities.ts";
import { type Denial, deny, isDenied, notFound } from "../answer/problem.ts";
import { type Api, askerOf, type Call, type Handler } from "../context.ts";
import { isOfPerson } from "../guard/second-factors.ts";

type FactorHandlers = {
  challengeFactor: Handler<"challengeFactor">;
  listFactors: Handler<"listFactors">;
  offerFactor: Handler<"offerFactor">;
  addFactor: Handler<"addFactor">;
  renewRecovery: Handler<"renewRecovery">;
  removeFactor: Handler<"removeFactor">;
};

export const factorHandlers: FactorHandlers = {
  challengeFactor: (api, call) => onlyInSession(call) ?? api.factorChecks.challenge(call),

  listFactors(api, { principal: { user } }) {
    const items = [...api.factors.of(user.id)].map(([id, factor]) => showFactor(api, user.id, id, factor));
    const answer: AnswerOf<"listFactors"> = { needed: api.second.needs(user), items };
    return answer;
  },

  async offerFactor(api, call) {
    return onlyInSession(call) ?? (await api.factorChanges.offer(call, call.body.kind));
  },

  async addFactor(api, call) {
    const { currentPassword, label, code, passkey } = call.body;
    const refused = onlyInSession(call) ?? (await api.passwords.prove(call, currentPassword));
    if (refused !== undefined) return refused;
    const asked = {
      ...(label !== undefined && { label }),
      ...(code !== undefined && { code }),
      ...(passkey !== undefined && { passkey }),
    };
    const added = await api.factorChanges.add(call, askerOf(call), asked);
    if (isDenied(added)) return added;
    const { user, token } = call.principal;
    api.second.noteShown(token);
    const factor = showFactor(api, user.id, added.id, api.factors.of(user.id).get(added.id)!);
    return { factor, ...(added.codes !== undefined && { codes: added.codes }) };
  },

  async renewRecovery(api, call) {
    const { user } = call.principal;
    const refused = onlyByPerson(call);
    if (refused !== undefined) return refused;
    if (!api.factors.has(user.id)) return deny("conflict", "You have no second factor.", "Add one first.");
    const codes = await api.factorChanges.renewCodes(user, askerOf(call));
    return isDenied(codes) ? codes : { codes };
  },

  async removeFactor(api, call) {
    const { user } = call.principal;
    const { factor } = call.params;
    const refused = onlyByPerson(call);
    if (refused !== undefined) return refused;
    if (factor === undefined || !api.factors.of(user.id).has(factor)) return notFound("factor", factor);
    return (await api.factorChanges.remove(user, factor, askerOf(call))) ?? {};
  },
};

/** With a factor that was just shown, which the table of routes asks for: a program shows none. */
function onlyByPerson({ principal: { token } }: Pick<Call<"listFactors">, "principal">): Denial | undefined {
  if (isOfPerson(token)) return undefined;
  return deny("forbidden", "Second factors are changed by a person, not by a program's token.", "Use tess login.");
}

/** A token may have been copied from a file: a thief who has it must not be able to add a factor. */
export function onlyInSession({ principal: { token } }: Pick<Call<"listFactors">, "principal">): Denial | undefined {
  if (isSession(token)) return undefined;
  return deny("forbidden", "Second factors are shown and changed in the console.", "Sign in there: tess open.");
}

function showFactor(api: Api, user: UserId, id: string, factor: Factor): FactorShape {
  const use = api.factors.use(user, id);
  return {
    id,
    kind: factor.kind,
    label: factor.label,
    createdAt: timestamp(factor.createdAt),
    ...(use !== undefined && { lastUsedAt: timestamp(use.at) }),
    ...(factor.kind === "recovery" && { codesLeft: factor.hashes.length }),
  };
}
