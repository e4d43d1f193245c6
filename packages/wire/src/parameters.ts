import Type, { type TSchema } from "typebox";
import { PathName } from "./shapes/common.ts";

/** Values of the `:name` parts of addresses. What is not listed is a line of text. */
const pathParameters: Readonly<Record<string, TSchema>> = {
  account: PathName(255, "Path of an account (/ written as %2F), or its id"),
  job: PathName(200, "Id or name of a job"),
  topic: Type.String({
    pattern: "^[a-z0-9]{16}-[0-9]{1,9}$",
    maxLength: 26,
    title: "a stream and a number",
    description: "A stream and the number of a list on it",
  }),
  line: Type.String({ pattern: "^[0-9]{1,9}$", maxLength: 9, description: "Number of a line" }),
  period: Type.String({
    pattern: "^([0-9]{4}-(0[1-9]|1[0-2])(~[0-9]{1,4})?|open)$",
    maxLength: 12,
    title: "a month",
    description:
      "A month such as 2026-11, or open for the current one. 2026-11~1 is the part of it in which the first of several tenants had this name",
  }),
  secret: Type.String({
    pattern: "^[A-Za-z_][A-Za-z0-9_]{0,127}$",
    maxLength: 128,
    title: "the name of an environment variable",
    description: "Letters, digits and _, such as HF_TOKEN",
  }),
};
const anyName = PathName(300, "A name or an id");

/** The names in a path and the shape of each. */
export function parametersOf(path: string): readonly (readonly [name: string, schema: TSchema])[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => [name!, pathParameters[name!] ?? anyName]);
}

export const headerShapes = {
  "Idempotency-Key": Type.String({
    pattern: "^[!-~]([ -~]{0,198}[!-~])?$",
    maxLength: 200,
    title: "a key of 1 to 200 printable characters",
    description: "A random UUID; repeating the request with the same key answers the same",
  }),
  "If-Match": Type.String({
    pattern: "^[!-~]([ -~]{0,998}[!-~])?$",
    maxLength: 1_000,
    title: "a revision",
    description: "The revision that the edit is based on, or * for any",
  }),
  "If-None-Match": Type.String({
    pattern: "^[*]$",
    maxLength: 1,
    title: "*",
    description: "Only *: refused where there is one already",
  }),
  "Last-Event-ID": Type.String({
    pattern: "^[ -~]{0,100}$",
    maxLength: 100,
    title: "the id of an event",
    description: "Goes on after this event",
  }),
  "Tessera-Stream": Type.String({
    pattern: "^[a-z0-9]{16}-[0-9]{1,9}$",
    maxLength: 26,
    title: "a stream and a number",
    description: "It is told on this open stream, under this number, instead of in the answer",
  }),
} as const satisfies Readonly<Record<string, TSchema>>;
