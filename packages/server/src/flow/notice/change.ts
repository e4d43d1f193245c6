import { type Command, currencyOf, type ReadonlyState } from "@tessera/core";
import { fieldTexts } from "../../render/field-texts.ts";

/** What fits into a record; the journal holds the whole command. */
const changeLengthMax = 1_000;
const valueLengthMax = 120;

/** The fields that a command is about to change, each with the value before and after; undefined where it is a create. */
export function changeOf(command: Command, state: ReadonlyState): string | undefined {
  const changed = (before: unknown, after: unknown) => difference(before, after, currencyOf(state.books.versions));
  switch (command.kind) {
    case "policy.set":
      return changed(state.policy, command.policy);
    case "account.edit":
      return changed(state.accountByPath.get(command.path)?.terms, command.terms);
    case "role.bind":
    case "role.unbind":
      return rolesChanged(command, state);
    case "price.add":
      return difference(state.books.versions.at(-1), command.version, command.version.currency);
    case "contract.set":
      return changed(
        [...state.books.contracts.values()].findLast(({ tenant }) => tenant === command.contract.tenant),
        command.contract,
      );
    case "tenant.bill": {
      const { mode, creditLimitMicros } = command;
      return changed(state.books.tenants.get(command.tenant), { mode, creditLimitMicros });
    }
    case "budget.set": {
      const before = state.books.budgets.get(command.budget.account);
      return changed(before, { ...command.budget, revision: before?.revision });
    }
    default:
      return undefined;
  }
}

function rolesChanged(
  { kind, user, role, account: path }: Extract<Command, { kind: "role.bind" | "role.unbind" }>,
  state: ReadonlyState,
): string {
  const account = state.accountByPath.get(path);
  const bindings = state.users.get(user)?.bindings ?? [];
  const before = bindings.filter((each) => each.account === account?.no).map((each) => each.role);
  const others = before.filter((each) => each !== role);
  const named = (roles: readonly string[]) => [...roles].sort().join(", ") || "none";
  return `${role}: roles here ${named(before)} → ${named(kind === "role.bind" ? [...others, role] : others)}`;
}

/** Differing fields as `field: before → after`, in the order of their names. */
export function difference(before: unknown, after: unknown, currency: string): string {
  const [was, is] = [fieldTexts(before, currency), fieldTexts(after, currency)];
  const short = (text = "none") => shortened(text, valueLengthMax);
  const fields = [...new Set([...was.keys(), ...is.keys()])].sort();
  const told = fields
    .filter((field) => was.get(field) !== is.get(field))
    .map((field) => `${field}: ${short(was.get(field))} → ${short(is.get(field))}`);
  return shortened(told.join("; ") || "no difference", changeLengthMax);
}

function shortened(text: string, lengthMax: number): string {
  return text.length <= lengthMax ? text : `${text.slice(0, lengthMax - 1)}…`;
}
