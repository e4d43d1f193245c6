import type { Account, AccountNo, ReadonlyState, RoleBinding, User } from "@tessera/core";
import { type Action, type ActOn, acts, type MayDo, type RouteId, routes, type Thing } from "@tessera/wire";
import { may } from "../../access/policy.ts";
import { inScope, type Principal } from "../../access/principal.ts";
import {
  permitsInAccount,
  permitsOnAccount,
  permitsOnBinding,
  permitsOnFleet,
  permitsOnJob,
  permitsOnTokens,
  permitsOnUser,
  rolesToGive,
  seesTokens,
} from "./permits.ts";

type AccountAct = ActOn<"account" | "budget" | "billing">;
type FleetThing = "node" | "engine" | "pool" | "prices";

/**
 * What a caller may do with each thing that it is shown. The caller's token counts like its roles. Made anew for each
 * answer, since roles change; within one, things that are decided alike share one list.
 */
export class Acts {
  readonly #state: ReadonlyState;
  readonly #principal: Principal;
  readonly #onJobs = new Map<number, MayDo<"job">>();
  readonly #onFleet = new Map<FleetThing, MayDo<FleetThing>>();

  constructor(state: ReadonlyState, principal: Principal) {
    this.#state = state;
    this.#principal = principal;
  }

  onJob(account: AccountNo, owner: string): MayDo<"job"> {
    const own = owner === this.#principal.user.id;
    const key = account * 2 + (own ? 1 : 0);
    const known = this.#onJobs.get(key);
    if (known !== undefined) return known;
    const found = this.#among("job", (_, action) => permitsOnJob(this.#state, this.#user, action, account, own));
    this.#onJobs.set(key, found);
    return found;
  }

  onAccount(account: Account): MayDo<"account"> {
    return this.#among("account", (id, action) => this.#permitsAt(id, action, account));
  }

  /** What was recorded under the path of an account that is gone can only be looked at. */
  onMoney<Kind extends "budget" | "billing">(kind: Kind, path: string): MayDo<Kind> {
    const account = this.#state.accountByPath.get(path);
    if (account === undefined) return [];
    return this.#among(kind, (id, action) => this.#permitsAt(id as AccountAct, action, account));
  }

  onFleet<Kind extends FleetThing>(kind: Kind): MayDo<Kind> {
    const known = this.#onFleet.get(kind);
    if (known !== undefined) return known as MayDo<Kind>;
    const found = this.#among(kind, (_, action) => permitsOnFleet(this.#state, this.#user, action));
    this.#onFleet.set(kind, found);
    return found;
  }

  onUser(other: User): MayDo<"user"> {
    return this.#among("user", (id, action) =>
      id === "createToken"
        ? permitsOnTokens(this.#state, this.#user, other)
        : permitsOnUser(this.#state, this.#user, id, action, other),
    );
  }

  onToken(owner: User): MayDo<"token"> {
    return this.#among(
      "token",
      () => seesTokens(this.#state, this.#user, owner) && permitsOnTokens(this.#state, this.#user, owner),
    );
  }

  onBinding({ role, account }: Pick<RoleBinding, "role" | "account">): MayDo<"binding"> {
    return this.#among("binding", () => permitsOnBinding(this.#state, this.#user, role, account));
  }

  get #user(): User {
    return this.#principal.user;
  }

  #permitsAt(id: AccountAct, action: Action, account: Account): boolean {
    if (!may(this.#state, this.#user, "account.read", account.no)) return false;
    const { resource } = routes[id];
    if (resource === "account") return permitsOnAccount(this.#state, this.#user, action, account);
    if (!permitsInAccount(this.#state, this.#user, action, account)) return false;
    return id !== "bindRole" || rolesToGive(this.#state, this.#user, account.no).length > 0;
  }

  #among<Kind extends Thing>(kind: Kind, permits: (id: ActOn<Kind>, action: Action) => boolean): MayDo<Kind> {
    const all = acts[kind] as readonly RouteId[] as readonly ActOn<Kind>[];
    const found = all.filter((id) => {
      const { action } = routes[id as RouteId];
      return inScope(this.#principal, action) && permits(id, action);
    });
    return found.length === all.length ? "all" : found;
  }
}
