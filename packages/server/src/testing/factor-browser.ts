import assert from "node:assert/strict";
import { totpCode, totpStepAt } from "../access/totp.ts";
import type { TestControl } from "./control.ts";
import type { Answer, TestServer, TestUser } from "./tenancy.ts";

const own = { "sec-fetch-site": "same-origin" };

/** A browser that is signed in with the token of a user, with an authenticator app beside it. */
export class FactorBrowser {
  readonly #server: TestServer;
  readonly #control: TestControl;
  #halves: Record<string, string> = {};
  secret = "";
  codes: string[] = [];

  private constructor(server: TestServer, control: TestControl) {
    this.#server = server;
    this.#control = control;
  }

  static async signIn(server: TestServer, control: TestControl, user: TestUser, secret = ""): Promise<FactorBrowser> {
    const browser = new FactorBrowser(server, control);
    browser.#keep(await server.call(undefined, "POST", "/v1/session", { token: user.token }, own));
    browser.secret = secret;
    return browser;
  }

  /** A browser that has just signed in by other means. */
  static of(server: TestServer, control: TestControl, entered: Answer): FactorBrowser {
    const browser = new FactorBrowser(server, control);
    browser.#keep(entered);
    return browser;
  }

  ask(method: string, path: string, body?: unknown): Promise<Answer> {
    return this.#server.call(undefined, method, path, body, { ...this.#halves, ...own });
  }

  /** The code that the app shows now, or in some steps. */
  code(later = 0): string {
    return totpCode(this.secret, totpStepAt(this.#control.now()) + later);
  }

  async enrol(): Promise<Answer> {
    const offered = await this.ask("POST", "/v1/factors/offer", { kind: "totp" });
    assert.equal(offered.status, 200, offered.text);
    this.secret = offered.json.secret;
    const added = await this.ask("POST", "/v1/factors", { code: this.code(), label: "phone" });
    assert.equal(added.status, 201, added.text);
    this.codes = added.json.codes;
    return added;
  }

  async show(code = this.code()): Promise<Answer> {
    const shown = await this.ask("POST", "/v1/session/factor", { code });
    if (shown.status === 200) this.#keep(shown);
    return shown;
  }

  #keep(answer: Answer): void {
    assert.equal(answer.status, 200, answer.text);
    const cookies = answer.headers.getSetCookie().map((each) => each.split(";")[0]!);
    const cookie = cookies.find((each) => each.startsWith("tessera="));
    this.#halves = { ...this.#halves, ...(cookie !== undefined && { cookie }), "tessera-proof": answer.json.proof };
  }
}
