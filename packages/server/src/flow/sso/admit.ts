import {
  accountOf,
  fromProvider,
  type GroupRule,
  isRefusal,
  type ProviderTerms,
  type ReadonlyState,
  type Refusal,
  type Role,
  refuse,
  rootAccount,
  type User,
  type UserId,
} from "@tessera/core";
import type { Identity } from "../../access/identities.ts";
import type { People } from "../../access/people.ts";
import type { Asker, ControlPlane } from "../control.ts";
import { createUser } from "../people/access.ts";
import type { Shown } from "./sign-ins.ts";

/** A role at an account. */
export interface Given {
  readonly role: Role;
  readonly account: string;
}

/** What the rules give someone in these groups. Rules for accounts that are gone give nothing. */
export function rolesBy(state: ReadonlyState, rules: readonly GroupRule[], groups: readonly string[]): Given[] {
  const member = new Set(groups);
  const given = new Map<string, Given>();
  for (const { group, role, account: no } of rules) {
    const path = state.accounts[no]?.path;
    if (path !== undefined && member.has(group)) given.set(`${role} ${path}`, { role, account: path });
  }
  return [...given.values()];
}

const asSystem: Asker["actor"] = { user: "system" };
const namesTried = 20;

/** Lets people who a provider knows in, one at a time: two first sign-ins of one person make one user. */
export class Admission {
  readonly #control: ControlPlane;
  readonly #people: People;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(control: ControlPlane, people: People) {
    this.#control = control;
    this.#people = people;
  }

  /** The user who the person is, made at the first sign-in, with the roles that the rules give now. */
  admit(shown: Shown, terms: ProviderTerms, by: Pick<Asker, "request" | "address">): Promise<User | Refusal> {
    const turn = this.#turn.then(() => this.#admit(shown, terms, { actor: asSystem, ...by }));
    this.#turn = turn.catch(() => {});
    return turn;
  }

  /** Says which user a person of the provider is. */
  async link(identity: Identity, by: Asker): Promise<Refusal | undefined> {
    const { row, keep } = this.#people.identities.rowOf(identity);
    const done = await this.#control.ask({ kind: "privates.note" }, by, [row]);
    if (isRefusal(done)) return done;
    keep();
    return undefined;
  }

  async #admit(shown: Shown, terms: ProviderTerms, by: Asker): Promise<User | Refusal> {
    const { state } = this.#control;
    const { issuer, subject, groups } = shown;
    const known = this.#people.identities.find(issuer, subject);
    const id = known?.user ?? (await this.#make(shown, by));
    if (isRefusal(id)) return id;
    const user = state.users.get(id);
    if (user === undefined || user.disabled)
      return refuse("not-allowed", "user", null, "is disabled", "ask an administrator to enable it");
    if (known !== undefined && known.groups.join("\n") !== groups.join("\n")) {
      const refused = await this.link({ user: id, issuer, subject, groups }, by);
      if (refused !== undefined) return refused;
    }
    const bindings = rolesBy(state, terms.rules, groups);
    const from = fromProvider(shown.provider);
    const had = user.bindings.filter((binding) => binding.from === from).length;
    if (bindings.length === 0 && had === 0) return user;
    const done = await this.#control.ask({ kind: "role.follow", user: id, from, bindings }, by);
    return isRefusal(done) ? done : user;
  }

  async #make(shown: Shown, by: Asker): Promise<UserId | Refusal> {
    const { issuer, subject, groups, email, provider } = shown;
    const root = accountOf(this.#control.state, rootAccount);
    const { identities } = this.#people;
    for (let no = 0; ; no++) {
      const name = loginNameOf(shown.name ?? "user", no === 0 ? "" : no === 1 ? `.${provider}` : `.${provider}.${no}`);
      if (this.#people.idOf(name) !== undefined && no < namesTried) continue;
      let keep = () => {};
      const made = await createUser(
        this.#control,
        this.#people,
        by,
        { name, ...(email !== undefined && email.length <= 254 && { email }) },
        root,
        (id) => {
          const written = identities.rowOf({ user: id, issuer, subject, groups });
          keep = written.keep;
          return [written.row];
        },
      );
      if (!isRefusal(made)) keep();
      return made;
    }
  }
}

/** A login name from what the provider calls someone: before the @, in letters that login names have. */
export function loginNameOf(text: string, ending: string): string {
  const plain = text
    .split("@")[0]!
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, "-")
    .replace(/^[._-]+/, "")
    .replace(/-+$/, "");
  return `${(plain === "" ? "user" : plain).slice(0, 63 - ending.length)}${ending}`;
}
