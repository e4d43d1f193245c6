import type { AnswerOf, SessionItem } from "@tessera/wire";
import { fieldsText } from "../output/fields.ts";
import { ageText } from "../output/time.ts";
import { type Paint, printable } from "../terminal.ts";
import { loadFromList, type Noun } from "./noun.ts";

const sessionList: Omit<Noun<SessionItem>, "load"> = {
  name: "session",
  plural: "sessions",
  list: "listSessions",
  nameOf: ({ id }) => id,
  keyOf: ({ id }) => id,
  examples: ["tess session get", "tess session get -o json"],
  columns: [
    { name: "id", text: ({ id }) => id },
    { name: "device", text: ({ device }) => printable(device), shrinks: true },
    { name: "address", text: ({ address = "" }) => address },
    { name: "opened", text: openedText, raw: ({ createdAt }) => createdAt },
    { name: "used", text: ({ lastUsedAt }, now) => agoText(lastUsedAt, now), raw: ({ lastUsedAt }) => lastUsedAt },
    { name: "note", text: noteText, style: ({ fresh }) => (fresh ? "red" : "green"), hidesEmpty: true },
  ],
  queryOf: async () => ({}),
  page: (api) => api.call("listSessions"),
  describe: describeSession,
};

/** A browser or a terminal in which one is signed in. */
export const signedIn: Noun<SessionItem> = {
  ...sessionList,
  load: loadFromList(sessionList, ({ id, device }, name) => id === name || device === name),
};

function openedText({ by, createdAt }: SessionItem, now: number): string {
  return `${agoText(createdAt, now)}${by === undefined ? "" : ` by ${by}`}`;
}

function noteText({ here, fresh }: SessionItem): string {
  return here ? "this one" : fresh ? "new device: was it you?" : "";
}

function agoText(at: string | undefined, now: number): string {
  return at === undefined ? "never" : `${ageText(at, now)} ago`;
}

function describeSession(each: SessionItem, paint: Paint, now: number): string {
  return `${paint("bold", each.id)}\n${fieldsText(
    [
      ["Device", printable(each.device)],
      ["Address", each.address],
      ["Opened", openedText(each, now)],
      ["Last used", agoText(each.lastUsedAt, now)],
      ["Ends", each.expiresAt],
      ["Note", noteText(each) || undefined],
    ],
    paint,
    "  ",
  )}`;
}

type Factor = AnswerOf<"listFactors">["items"][number];

const kinds: Readonly<Record<Factor["kind"], string>> = {
  passkey: "passkey",
  totp: "authenticator app",
  recovery: "recovery codes",
};

const factorList: Omit<Noun<Factor>, "load"> = {
  name: "factor",
  plural: "factors",
  list: "listFactors",
  nameOf: ({ id }) => id,
  keyOf: ({ id }) => id,
  examples: ["tess factor get"],
  columns: [
    { name: "id", text: ({ id }) => id },
    { name: "kind", text: ({ kind }) => kinds[kind], raw: ({ kind }) => kind },
    { name: "label", text: ({ label }) => printable(label), shrinks: true },
    { name: "added", text: ({ createdAt }, now) => agoText(createdAt, now), raw: ({ createdAt }) => createdAt },
    { name: "used", text: ({ lastUsedAt }, now) => agoText(lastUsedAt, now), raw: ({ lastUsedAt }) => lastUsedAt },
    {
      name: "left",
      text: ({ codesLeft }) => (codesLeft === undefined ? "" : String(codesLeft)),
      raw: ({ codesLeft }) => codesLeft,
      right: true,
    },
  ],
  queryOf: async () => ({}),
  page: (api) => api.call("listFactors"),
};

/** What one can show besides a password. */
export const factor: Noun<Factor> = {
  ...factorList,
  load: loadFromList(factorList, ({ id, label }, name) => id === name || label === name),
};
