import { fromProvider, isRefusal, type Provider, type Refusal, refuse, type User, type UserId } from "@tessera/core";
import type { Identity } from "../../access/identities.ts";
import type { People } from "../../access/people.ts";
import type { Asker, ControlPlane } from "../control.ts";
import type { Listings } from "../scim/listings.ts";
import { makeUser } from "./make-user.ts";
import { rolesBy } from "./rules.ts";
import type { Shown } from "./sign-ins.ts";
import type { Turns } from "./turns.ts";

const asSystem: Asker["actor"] = { user: "system" };

/** Lets people who a provider knows in, one at a time: two first sign-ins of one person make one user. */
export class Admission {
  readonly #control: ControlPlane;
  readonly #people: People;
  readonly #listings: Listings;
  readonly #turns: Turns;

  constructor(control: ControlPlane, people: People, listings: Listings, turns: Turns) {
    this.#control = control;
    this.#people = people;
    this.#listings = listings;
    this.#turns = turns;
  }

  /** The user who the person is, made at the first sign-in, with the roles that the rules give now. */
  admit(shown: Shown, provider: Provider, by: Pick<Asker, "request" | "address">): Promise<User | Refusal> {
    return this.#turns.take(() => this.#admit(shown, provider, { actor: asSystem, ...by }));
  }

  /** Says which user a person of the provider is, also where its identity system told of the person. */
  link(provider: Provider, subject: string, user: User, by: Asker): Promise<Refusal | undefined> {
    return this.#turns.take(async () => {
      const { terms } = provider;
      const listed = this.#people.directory.personWithExternalId(provider.name, subject);
      const moved = listed === undefined ? undefined : await this.#listings.move(provider, listed, user, by);
      if (moved !== undefined || (listed !== undefined && terms.scimClaim !== undefined)) return moved;
      return this.#note({ user: user.id, issuer: terms.issuer, subject, groups: [] }, by);
    });
  }

  async #note(identity: Identity, by: Asker): Promise<Refusal | undefined> {
    const { row, keep } = this.#people.identities.rowOf(identity);
    const done = await this.#control.ask({ kind: "privates.note" }, by, [row]);
    if (isRefusal(done)) return done;
    keep();
    return undefined;
  }

  async #admit(shown: Shown, provider: Provider, by: Asker): Promise<User | Refusal> {
    const { state } = this.#control;
    const { issuer, subject, groups } = shown;
    const { directory, identities } = this.#people;
    const { name, terms } = provider;
    const known = identities.find(issuer, subject);
    const listed = shown.externalId === undefined ? undefined : directory.personWithExternalId(name, shown.externalId);
    const id = known?.user ?? listed?.user ?? (await this.#make(shown, provider, by));
    if (isRefusal(id)) return id;
    const user = state.users.get(id);
    if (user === undefined || user.disabled)
      return refuse("not-allowed", "user", null, "is disabled", "ask an administrator to enable it");
    const isFirst = known === undefined && listed !== undefined;
    if (isFirst || (known !== undefined && known.groups.join("\n") !== groups.join("\n"))) {
      const refused = await this.#note({ user: id, issuer, subject, groups }, by);
      if (refused !== undefined) return refused;
    }
    // Where groups come by SCIM, they alone decide: what a sign-in told may be a week old when a group is left.
    const told = directory.personOfUser(name, id);
    if (told !== undefined && directory.groups(name).length > 0)
      return (await this.#listings.follow(provider, told, by)) ?? user;
    const bindings = rolesBy(state, terms.rules, groups);
    const from = fromProvider(name);
    const had = user.bindings.filter((binding) => binding.from === from).length;
    if (bindings.length === 0 && had === 0) return user;
    const done = await this.#control.ask({ kind: "role.follow", user: id, from, bindings }, by);
    return isRefusal(done) ? done : user;
  }

  async #make(shown: Shown, { name: provider, scim, terms }: Provider, by: Asker): Promise<UserId | Refusal> {
    if (scim !== undefined) {
      const claim = terms.scimClaim ?? "sub";
      const why = `is not known here: ${provider} has not provisioned anyone whose externalId is this person's ${claim}`;
      return refuse("not-allowed", "user", null, why, "ask an administrator to provision you, or to link you");
    }
    const { issuer, subject, groups, email, name = "user" } = shown;
    let keep = () => {};
    const person = { name, provider, ...(email !== undefined && { email }) };
    const made = await makeUser(this.#control, this.#people, by, person, (id) => {
      const written = this.#people.identities.rowOf({ user: id, issuer, subject, groups });
      keep = written.keep;
      return [written.row];
    });
    if (!isRefusal(made)) keep();
    return made;
  }
}
