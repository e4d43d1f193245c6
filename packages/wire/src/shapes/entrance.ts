import Type, { type Static } from "typebox";
import { Line, Text, Timestamp } from "./common.ts";

const edge = (description: string) => Type.Integer({ minimum: 1, maximum: 10_000, description });

/** What someone wants inside a job. */
export const EnterBody = Type.Object(
  {
    how: Type.Enum(["exec", "terminal", "port", "page"]),
    rank: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000, description: "Default: 0" })),
    command: Type.Optional(Text(100_000, "A line for the shell; a terminal without one gets a shell")),
    columns: Type.Optional(edge("Of the terminal")),
    rows: Type.Optional(edge("Of the terminal")),
    term: Type.Optional(Line(64, "The kind of terminal, such as xterm-256color")),
    port: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 65_535, description: "Default: the only port that the job listens on" }),
    ),
  },
  { additionalProperties: false },
);
export type EnterBody = Static<typeof EnterBody>;

/** A way into a job for the one who asked. A command and a terminal are opened once and soon; a port as often as needed. */
export const Entrance = Type.Object({
  id: Type.String(),
  job: Type.String(),
  rank: Type.Integer(),
  port: Type.Optional(Type.Integer()),
  path: Type.Optional(Type.String({ description: "Where the page of a notebook begins, with what it asks for" })),
  url: Type.Optional(Type.String({ description: "Opens the page in a browser, once and soon" })),
  expiresAt: Timestamp,
});
export type Entrance = Static<typeof Entrance>;
