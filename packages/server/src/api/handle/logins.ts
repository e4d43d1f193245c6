import type { BrowserAsk } from "../../access/browser-asks.ts";
import { cannotSignIn } from "../../flow/people/access.ts";
import { timestamp } from "../../render/quantities.ts";
import { type Denial, deny } from "../answer/problem.ts";
import type { Api, Handler, LoginAsk } from "../context.ts";

type LoginHandlers = {
  readLogin: Handler<"readLogin">;
  allowLogin: Handler<"allowLogin">;
};

export const loginHandlers: LoginHandlers = {
  readLogin(api, { params }) {
    const login = found(api, params.login!);
    if ("refused" in login) return login;
    const { code, label, address, port, expiresAt } = login;
    return { login: code, label, address, here: port !== undefined, expiresAt: timestamp(expiresAt) };
  },

  async allowLogin(api, call) {
    const login = found(api, call.params.login!);
    if ("refused" in login) return login;
    const { user } = call.principal;
    if (user.service !== undefined) return cannotSignIn(api.people.nameOf(user.id));
    if (call.principal.token.signIn?.by === "break-glass")
      return deny("forbidden", "A break-glass session lets no program in.", "Mend how you sign in first.");
    const unproven = await api.passwords.prove(call, call.body.currentPassword);
    if (unproven !== undefined) return unproven;
    if (login.allowed !== undefined) return deny("conflict", "This login has been allowed already.", "Begin another.");
    const code = api.logins.allow(login, call.principal.token.id);
    return code === undefined ? {} : { back: `http://127.0.0.1:${login.port}/?code=${code}` };
  },
};

function found(api: Api, code: string): (BrowserAsk & LoginAsk) | Denial {
  return api.logins.find(code, api.control.now()) ?? noLogin();
}

export function noLogin(): Denial {
  return deny("not-found", "There is no such login, or it took too long.", "Begin again: tess login URL.", "login");
}
