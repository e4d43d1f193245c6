import type { Provider } from "@tessera/core";
import type { Directory, ListedGroup, ListedPerson } from "../../access/directory.ts";
import type { Asker } from "../control.ts";
import { newId } from "../ids.ts";
import { type GroupSaid, groupSaid } from "./attributes.ts";
import { invalidValue, noResource, notUnique, ScimFault } from "./fault.ts";
import { scimLimits } from "./limits.ts";
import { type Attributes, patch } from "./patch.ts";
import { refused, type ScimGround } from "./scim-people.ts";

const attributes: Attributes = { displayName: "simple", externalId: "simple", members: "multiple" };

type Check = (found: ListedGroup) => void;

/** What an identity system may do with groups. All of it throws a ScimFault where it may not. */
export class ScimGroups {
  readonly #ground: ScimGround;
  readonly #directory: Directory;

  constructor(ground: ScimGround) {
    this.#ground = ground;
    this.#directory = ground.people.directory;
  }

  create(provider: Provider, body: unknown, by: Asker): Promise<ListedGroup> {
    const said = groupSaid(body);
    return this.#ground.turns.take(async () => {
      if (this.#directory.groups(provider.name).length >= scimLimits.groupsMax)
        throw new ScimFault(400, "tooMany", `there are more than ${scimLimits.groupsMax} groups`);
      const now = this.#ground.control.now();
      const fresh = { id: newId("grp_"), provider: provider.name, displayName: "", createdAt: now, changedAt: now };
      return this.#change(provider, fresh, said, by);
    });
  }

  replace(provider: Provider, id: string, body: unknown, by: Asker, check: Check): Promise<ListedGroup> {
    const said = groupSaid(body);
    return this.#ground.turns.take(() => this.#change(provider, this.#found(provider, id, check), said, by));
  }

  patch(provider: Provider, id: string, body: unknown, by: Asker, check: Check): Promise<ListedGroup> {
    return this.#ground.turns.take(async () => {
      const group = this.#found(provider, id, check);
      const { displayName, externalId } = group;
      const members = this.#directory.members(provider.name, id).map(({ id: value }) => ({ value }));
      const draft = { id, displayName, externalId, members };
      return this.#change(provider, group, groupSaid(patch(draft, attributes, body)), by);
    });
  }

  /** The members lose the group, and the roles that it gave, before it is gone. */
  remove(provider: Provider, id: string, by: Asker, check: Check): Promise<void> {
    return this.#ground.turns.take(async () => {
      const group = this.#found(provider, id, check);
      await this.#leave(provider, group, this.#directory.members(provider.name, id), by);
      const refusal = await this.#ground.listings.note([this.#directory.dropGroup(group)], by);
      if (refusal !== undefined) throw refused(refusal);
    });
  }

  #found({ name }: Provider, id: string, check: Check): ListedGroup {
    const group = this.#directory.group(name, id);
    if (group === undefined) throw noResource(id);
    check(group);
    return group;
  }

  async #change(provider: Provider, before: ListedGroup, said: GroupSaid, by: Asker): Promise<ListedGroup> {
    const { displayName, externalId = before.externalId, members } = said;
    const named = this.#directory.groupNamed(provider.name, displayName);
    if (named !== undefined && named.id !== before.id) throw notUnique("displayName", displayName);
    const wanted = members.map((id) => this.#member(provider, before.id, id));
    const group: ListedGroup = {
      ...{ ...before, displayName, changedAt: this.#ground.control.now() },
      ...(externalId !== undefined && { externalId }),
    };
    const has = this.#directory.members(provider.name, before.id);
    const [old, next] = [new Set(has.map(({ id }) => id)), new Set(members)];
    await this.#leave(
      provider,
      before,
      has.filter(({ id }) => !next.has(id)),
      by,
    );
    const { listings } = this.#ground;
    const added = (person: ListedPerson) => ({ ...person, groups: [...person.groups, group.id] });
    const stay = has.filter(({ id }) => next.has(id));
    const isRenamed = before.displayName !== displayName || before.externalId !== externalId;
    const refusal =
      (await listings.note([this.#directory.putGroup(group)], by)) ??
      (isRenamed ? await listings.followEach(provider, stay, by) : undefined) ??
      (await listings.followEach(
        provider,
        wanted.filter(({ id }) => !old.has(id)),
        by,
        added,
      ));
    if (refusal !== undefined) throw refused(refusal);
    return group;
  }

  #member({ name }: Provider, group: string, id: string): ListedPerson {
    const person = this.#directory.person(name, id);
    if (person === undefined) throw invalidValue("members", id, "it is not a user of this provider");
    if (!person.groups.includes(group) && person.groups.length >= scimLimits.groupsOfPersonMax)
      throw new ScimFault(400, "tooMany", `${id} is in ${scimLimits.groupsOfPersonMax} groups already`);
    return person;
  }

  async #leave(provider: Provider, { id }: ListedGroup, people: readonly ListedPerson[], by: Asker): Promise<void> {
    const left = (person: ListedPerson) => ({ ...person, groups: person.groups.filter((group) => group !== id) });
    const refusal = await this.#ground.listings.followEach(provider, people, by, left);
    if (refusal !== undefined) throw refused(refusal);
  }
}
