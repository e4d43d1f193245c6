import type { RoleBindingShape, WhoAmI } from "@tessera/wire";
import { isWithin } from "../../frame/account.ts";
import { placeWord } from "./place-word.ts";

type Binding = Pick<RoleBindingShape, "role" | "account">;

const isSame = (one: Binding, other: Binding) => one.role === other.role && one.account === other.account;

/** What follows for a user who loses a role. */
export function takenWords(
  user: { readonly name: string; readonly bindings: readonly Binding[] },
  taken: Binding,
): string {
  const only = user.bindings.length === 1 ? "; it is the only role, so nothing is left to see" : "";
  return `${user.name} may not do there what ${taken.role} allows, from now on${only}.`;
}

/** The same for one's own role, which one may not be able to get back. */
export function ownTakenWords({ bindings }: Pick<WhoAmI, "bindings">, taken: Binding): string {
  const left = bindings.filter((each) => !isSame(each, taken));
  const canReturn = left.some(({ account, gives }) => gives?.includes(taken.role) && isWithin(taken.account, account));
  const only = left.length === 0 ? "; it is your only role, so nothing is left for you to see" : "";
  const back = canReturn ? "" : " Only somebody else can give it back to you.";
  return `This is your own role. You may not do there what ${taken.role} allows, from now on${only}.${back}`;
}

/** That nobody else has the role there; nothing where somebody does. */
export function nobodyElseWords(
  all: readonly (Binding & Pick<RoleBindingShape, "user">)[],
  user: string,
  taken: Binding,
): string | undefined {
  if (all.some((each) => each.user !== user && isSame(each, taken))) return undefined;
  const words = `Nobody else is ${taken.role} of ${placeWord(taken.account)}`;
  return taken.role === "platform-owner"
    ? `${words}, so this is refused: make another user platform-owner first.`
    : `${words}.`;
}
