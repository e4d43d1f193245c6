import { randomBytes } from "node:crypto";
import {
  type Command,
  type Input,
  isRefusal,
  type OperationId,
  type ReadonlyState,
  type TokenId,
  type UserId,
} from "@tessera/core";
import { systemClock } from "@tessera/engine";
import { eraseRows, personRow } from "../../access/people.ts";
import { secretKey } from "../../access/secrets.ts";
import { isSession } from "../../access/session.ts";
import { mintToken } from "../../access/tokens.ts";
import type { PrivateWrite, Store } from "../../store/port.ts";
import { noCredentials } from "../engines/credentials.ts";
import { newId } from "../ids.ts";
import { recover } from "../write/recover.ts";
import { requestOf, Writer } from "../write/writer.ts";
import type { Ended } from "./since.ts";

type Asked = readonly [command: Command, privates?: readonly PrivateWrite[]];

/**
 * Begins the epoch of a restore in the unpacked store, in one row of its journal: sessions end, and so does what is named;
 * an owner gets a new token. Returns the token.
 */
export async function endCredentials(store: Store, ended: Ended, reason: string) {
  const { state, head } = await recover(store, () => {});
  const writer = new Writer({ store, state, head, clock: systemClock, snapshotEveryEvents: 1, freeBytesMin: 0 });
  const minted = mintToken();
  const tokens = tokensToEnd(state, ended);
  const owner = ownerAfter(state, ended);
  const { prefix, hash } = minted;
  const token = { id: newId("tok_") as TokenId, label: "this machine", scopes: [], expiresAt: 0 };
  const asked: Asked[] = [
    [
      { kind: "epoch.begin", reason },
      [
        ...ended.passwords.map((key) => gone("password", key)),
        ...ended.engines.map(noCredentials),
        ...ended.origins.map((key) => gone("origin", key)),
      ],
    ],
    ...owner.made,
    [{ kind: "token.create", user: owner.id, prefix, hash, ...token }],
    ...tokens.map((id): Asked => [{ kind: "token.revoke", token: id }]),
    ...ended.roles.map((role): Asked => [{ kind: "role.unbind", ...role }]),
    ...ended.secrets.map(
      ({ account, name }): Asked => [
        { kind: "secret.delete", account: account.path, name },
        [gone("secret", secretKey(account, name))],
      ],
    ),
    ...ended.disabled.map((user): Asked => [{ kind: "user.disable", user }]),
    ...ended.erased.map((user): Asked => [{ kind: "user.erase", user }, eraseRows(user)]),
  ];
  const { answers } = await writer.write(asked.map(([command, privates]) => requestOf(inputOf(command), privates)));
  for (const [i, answer] of answers.entries())
    if (isRefusal(answer)) throw new Error(`restore: ${asked[i]![0].kind}: ${answer.field} ${answer.detail}`);
  await writer.snapshot();
  return { epoch: state.epoch, ownerToken: minted.token, tokensEnded: tokens.length, state };
}

function gone(kind: string, key: string): PrivateWrite {
  return { kind, key, value: null };
}

/** Sessions are short and always end. They come first: with a token its sessions end too. */
function tokensToEnd(state: ReadonlyState, ended: Ended): TokenId[] {
  const sessions = [...state.tokens.values()].filter(isSession).map(({ id }) => id);
  return [...new Set([...sessions, ...ended.tokens])];
}

/** A platform owner who is one after all this too; where there is none, a new one is made. */
function ownerAfter(state: ReadonlyState, { disabled, erased, roles }: Ended): { id: UserId; made: Asked[] } {
  const out = new Set([...disabled, ...erased, ...roles.filter((lost) => lost.account === "").map(({ user }) => user)]);
  const found = [...state.users.values()].find(
    (user) => !user.disabled && !out.has(user.id) && user.bindings.some(({ role }) => role === "platform-owner"),
  );
  if (found !== undefined) return { id: found.id, made: [] };
  const id = newId("usr_") as UserId;
  const first = { role: "platform-owner", account: "" } as const;
  return { id, made: [[{ kind: "user.create", user: id, first }, [personRow(id, { name: `owner-${id.slice(-6)}` })]]] };
}

function inputOf(command: Command): Input {
  const op = `op_${randomBytes(12).toString("hex")}` as OperationId;
  return { kind: "command", v: 1, op, actor: { user: "system" }, request: "restore", command };
}
