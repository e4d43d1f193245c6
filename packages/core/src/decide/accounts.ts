import { checkTerms } from "../admit/account.ts";
import type { Command } from "../journal/command.ts";
import type { Decision } from "../journal/outcome.ts";
import { isRefusal, refuse } from "../journal/refusal.ts";
import type { AccountNo } from "../model/ids.ts";
import type { Instant } from "../model/units.ts";
import { accountOf } from "../quota/accounts.ts";
import type { State } from "../state/state.ts";
import { existing } from "./existing-account.ts";
import { endWhatWasFormer } from "./reused-path.ts";
import { changeVolume } from "./volumes.ts";
import { editBase, setWindow } from "./windows.ts";

type AccountCommand = Extract<Command, { kind: `account.${string}` | `secret.${string}` | `volume.${string}` }>;

const depthMax = 16;

/** The tree of accounts, their terms and windows, the names of their secrets, and their volumes. */
export function changeAccounts(state: State, command: AccountCommand, now: Instant): Decision {
  switch (command.kind) {
    case "account.create": {
      const { path, id, terms } = command;
      if (state.accountByPath.has(path))
        return refuse("already-exists", "path", path, "exists already", "edit it, or choose another path");
      const cut = path.lastIndexOf("/");
      const parent = state.accountByPath.get(cut < 0 ? "" : path.slice(0, cut));
      if (parent === undefined) {
        return refuse("not-found", "path", path, "has no account above it yet", `create ${path.slice(0, cut)} first`);
      }
      if (path.split("/").length > depthMax)
        return refuse("invalid", "path", path, `is deeper than ${depthMax} levels`, "use fewer levels");
      const bad = checkTerms(state, parent, undefined, terms);
      if (bad !== undefined) return bad;
      const account = state.accounts.length as AccountNo;
      return {
        events: [
          ...endWhatWasFormer(state, path, now),
          { kind: "account-created", v: 1, at: now, account, id, parent: parent.no, path, terms },
        ],
        result: id,
      };
    }
    case "account.edit": {
      const account = existing(state, command.path, command.ifRevision);
      if ("refused" in account) return account;
      const bad = checkTerms(state, accountOf(state, account.parent), account, command.terms);
      if (bad !== undefined) return bad;
      return { events: [editBase(account, command.terms, now)] };
    }
    case "account.window": {
      const account = existing(state, command.path, command.ifRevision);
      if ("refused" in account) return account;
      const event = setWindow(state, account, command, now);
      return isRefusal(event) ? event : { events: [event] };
    }
    case "account.delete": {
      const account = existing(state, command.path, command.ifRevision);
      if ("refused" in account) return account;
      if (account.children.length > 0)
        return refuse("conflict", "account", account.path, "has accounts below it", "delete those first");
      if (account.liveJobs > 0)
        return refuse(
          "conflict",
          "account",
          account.path,
          account.liveJobs === 1 ? "has a job that has not ended" : `has ${account.liveJobs} jobs that have not ended`,
          "cancel first, or wait for the end",
        );
      const pool = [...state.pools.values()].find(({ terms }) => terms.tenants?.includes(account.path));
      if (pool !== undefined)
        return refuse(
          "conflict",
          "account",
          account.path,
          `may use the pool ${pool.name} by name`,
          `take it out of the pool first: tess pool edit ${pool.name}`,
        );
      const homeless = [...state.users.values()].filter((user) => user.service === account.no && !user.disabled);
      return {
        events: [
          ...homeless.map(({ id }) => ({ kind: "user-changed", v: 1, at: now, user: id, disabled: true }) as const),
          { kind: "account-deleted", v: 1, at: now, account: account.no },
        ],
      };
    }
    case "secret.set":
    case "secret.delete": {
      const account = existing(state, command.account, undefined);
      if ("refused" in account) return account;
      const { name } = command;
      const present = command.kind === "secret.set";
      if (!present && !state.secrets.has(`${account.no}/${name}`)) {
        return refuse("not-found", "secret", name, `is not set on ${account.path}`, "see: tess secret get");
      }
      return { events: [{ kind: "secret-changed", v: 1, at: now, account: account.no, name, present }] };
    }
    case "volume.create":
    case "volume.delete":
    case "volume.grant":
      return changeVolume(state, command, now);
  }
}
