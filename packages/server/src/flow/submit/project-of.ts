import { accountOf, type ReadonlyState, type Refusal, refuse, rootAccount, type User } from "@tessera/core";
import { grantsOf } from "../../access/policy.ts";

/** The account path a job goes to: the one given, or the only one where this user may submit. */
export function projectOf(state: ReadonlyState, user: User, given: string | undefined): string | Refusal {
  if (given !== undefined) return given;
  const projects = defaultProjects(state, user);
  if (projects.length === 1) return projects[0]!;
  if (projects.length === 0) {
    return refuse(
      "invalid",
      "project",
      null,
      "is missing, and you may not submit jobs to any account",
      "ask an administrator for the role member in an account",
    );
  }
  const shown = projects.slice(0, 10).join(", ");
  return refuse(
    "invalid",
    "project",
    null,
    "is missing, and you may submit jobs to several accounts",
    `name one, such as ${shown}`,
  );
}

/** Accounts where a job of this user goes unasked: those of its roles, or every tenant for one of the whole platform. */
export function defaultProjects(state: ReadonlyState, user: User): string[] {
  const bound = user.bindings.filter(({ role }) => grantsOf[role]["job.submit"] !== undefined);
  const accounts = [...new Set(bound.map(({ account }) => account))].map((no) => accountOf(state, no));
  const own = accounts.filter((account) => account.no !== rootAccount);
  const named = own.length > 0 ? own : accounts.flatMap((root) => root.children.map((no) => accountOf(state, no)));
  return named.map((account) => account.path).sort();
}
