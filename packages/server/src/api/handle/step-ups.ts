import type { StepUpShape } from "@tessera/wire";
import { askMsMax, askSeconds, type BrowserAsk } from "../../access/browser-asks.ts";
import type { Principal } from "../../access/principal.ts";
import { accountOfUser } from "../../flow/project/audit.ts";
import { timestamp } from "../../render/quantities.ts";
import { type Denial, deny, isDenied } from "../answer/problem.ts";
import { type Api, askerOf, type Handler } from "../context.ts";
import { isOfPerson } from "../guard/second-factors.ts";
import type { StepUpAsk } from "../guard/step-ups.ts";
import { onlyInSession } from "./factors.ts";

type StepUpHandlers = {
  beginStepUp: Handler<"beginStepUp">;
  readStepUp: Handler<"readStepUp">;
  allowStepUp: Handler<"allowStepUp">;
  takeStepUp: Handler<"takeStepUp">;
};

export const stepUpHandlers: StepUpHandlers = {
  beginStepUp(api, { principal: { user, token }, body, address }) {
    if (!isOfPerson(token))
      return deny("forbidden", "Tokens of programs show no second factor: their scopes decide.", "Use tess login.");
    const act = api.stepUps.refused(token, body.request);
    if (act === undefined)
      return deny("conflict", "No such request of this token waits for a second factor.", "Repeat it.", "request");
    const { challenge, port } = body;
    const asked = { user: user.id, token: token.id, act, challenge, address, ...(port !== undefined && { port }) };
    const { code, expiresAt } = api.stepUps.asks.begin(asked, api.control.now());
    const path = `/step-up?code=${code}`;
    return { code, path, expiresAt: timestamp(expiresAt), intervalSeconds: askSeconds };
  },

  readStepUp(api, { principal, params }) {
    const ask = found(api, principal, params.code!);
    if (isDenied(ask)) return ask;
    const { code, act, address, port, expiresAt, token } = ask;
    const label = api.control.state.tokens.get(token)?.label ?? "";
    const { summary, request, fields } = act;
    const shown = { code, label, address, here: port !== undefined, expiresAt: timestamp(expiresAt) };
    return { ...shown, act: summary, request, fields: [...fields], asks: asksOf(api, principal, ask) };
  },

  async allowStepUp(api, call) {
    const { principal, params, body } = call;
    const ask = onlyInSession(call) ?? found(api, principal, params.code!);
    if (isDenied(ask)) return ask;
    if (ask.allowed !== undefined) return deny("conflict", "This has been allowed already.", "Begin again.");
    const asks = asksOf(api, principal, ask);
    if (asks === "sign-in")
      return deny("step-up-required", "Only your provider asks you for a second factor.", "Sign in with it again.");
    const refused = asks === "factor" ? await api.factorChecks.show(call, askerOf(call), body) : undefined;
    if (refused !== undefined) return refused;
    api.notices.add({
      ...{ kind: "factor.step-up", user: principal.user.id, token: ask.token, address: call.address },
      ...{ request: call.requestId, account: accountOfUser(api.control.state, principal.user.id) },
      ...{ target: ask.token, outcome: "changed", detail: `${ask.act.summary}: ${ask.act.request}` },
    });
    const code = api.stepUps.asks.allow(ask, principal.token.id);
    return code === undefined ? {} : { back: `http://127.0.0.1:${ask.port}/?code=${code}` };
  },

  takeStepUp(api, { principal, params, body }) {
    const ask = found(api, principal, params.code!);
    if (isDenied(ask)) return ask;
    if (ask.token !== principal.token.id) return noStepUp();
    const by = api.stepUps.asks.take(ask, body.verifier, body.code);
    if (by === "wrong") return noStepUp();
    if (by === undefined) return { shown: false };
    if (!api.control.state.tokens.has(by))
      return deny("unauthenticated", "The session that allowed this has ended.", "Repeat the command.");
    api.second.noteShown(principal.token);
    return { shown: true };
  },
};

/**
 * Someone may sit at a browser that its user left open, so that what the session showed before does not count: only a
 * person who has just signed in because of this, with a factor, need not show it twice.
 */
function asksOf({ factors, second }: Api, { user, token }: Principal, { expiresAt }: BrowserAsk): StepUpShape["asks"] {
  if (token.createdAt >= expiresAt - askMsMax && second.factorAt(token) !== undefined) return "nothing";
  return factors.has(user.id) ? "factor" : "sign-in";
}

/** Of the caller alone: a person can neither see nor allow what another one asks. */
function found(api: Api, { user }: Principal, code: string): (BrowserAsk & StepUpAsk) | Denial {
  const ask = api.stepUps.asks.find(code, api.control.now());
  return ask !== undefined && ask.user === user.id ? ask : noStepUp();
}

function noStepUp(): Denial {
  const hint = "Sign in as the user of the terminal, or repeat the command there.";
  return deny("not-found", "Nothing of yours waits for a second factor by this code.", hint, "code");
}
