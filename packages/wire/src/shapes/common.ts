import Type, { type Static, type TSchema } from "typebox";

/** An instant on the wire: ISO 8601 in UTC with milliseconds, so that it is exact and readable. */
export const Timestamp = Type.String({ format: "date-time", description: "ISO 8601, UTC, milliseconds" });

/** `lab/vision/detect`: lower-case names with `/` between. */
export const accountPathPattern = "^[a-z0-9]([a-z0-9._-]{0,62})(/[a-z0-9]([a-z0-9._-]{0,62})){0,15}$";
export const AccountPath = Type.String({
  pattern: accountPathPattern,
  maxLength: 255,
  title: "an account path",
  description: "An account path in lower case, from the tenant down, such as lab/vision",
});

/**
 * The characters of the Unicode classes Cc, Cf, Zl and Zp, written out: patterns of the API are read by the regular
 * expressions of many languages, which share neither names of classes nor escapes of characters.
 */
const unseen = [
  "\u0000-\u001f\u007f-\u009f\u00ad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f",
  "\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb\u{110bd}\u{110cd}\u{13430}-\u{1343f}",
  "\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0001}\u{e0020}-\u{e007f}",
].join("");
const spaces = " \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000";

export const linePattern = `^[^${unseen}]*$`;
export const emailPattern = `^[^@${spaces}${unseen}]+@[^@${spaces}${unseen}]+$`;

/** One line of text that a terminal may show: no control characters, no invisible ones that turn text around. */
export function Line(maxLength: number, description?: string) {
  return Type.String({ maxLength, pattern: linePattern, ...(description && { description }) });
}

/** A line that says something. */
export function Name(maxLength: number, description?: string) {
  return Type.String({ minLength: 1, maxLength, pattern: linePattern, ...(description && { description }) });
}

/** A name in a path: it begins with a letter or digit, since `.` and `..` have a meaning of their own there. */
export function PathName(maxLength: number, description: string) {
  return Type.String({ maxLength, pattern: `^[A-Za-z0-9][^${unseen}]*$`, description });
}

/** An absolute path. */
export const pathPattern = `^/[^${unseen}]{0,499}$`;

/** All text but the one character that neither files nor environments can carry. */
export const anyTextPattern = "^[^\u0000]*$";

const date = "[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])";
const clock = "([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\\.[0-9]{1,9})?)?";
const offset = "([Zz]|[+-]([01][0-9]|2[0-3]):?[0-5][0-9])";
const datePattern = `${date}([Tt ]${clock}${offset}?)?`;

/** A date, or a date and time with an offset or in the zone that the request names beside it. */
export const DateTime = Type.String({
  pattern: `^${datePattern}$`,
  maxLength: 40,
  title: "a date and time",
  description: "ISO 8601, such as 2026-09-01T18:00:00+02:00; without an offset, local time of tz",
  examples: ["2026-09-01T18:00:00+02:00"],
});

export const Zone = Type.String({
  pattern: "^[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*$",
  maxLength: 64,
  title: "a time zone",
  description: "IANA name of a time zone, such as Europe/Berlin",
  examples: ["Europe/Berlin"],
});

/** Text of any number of lines. */
export function Text(maxLength: number, description?: string) {
  return Type.String({ maxLength, pattern: anyTextPattern, ...(description && { description }) });
}

/** A cut of a list. `next` is opaque; absent on the last page. */
export function Page<Item extends TSchema>(item: Item) {
  return Type.Object({ items: Type.Array(item), next: Type.Optional(Type.String()) });
}
export interface PageOf<Item> {
  items: Item[];
  next?: string;
}

/** A cut of a list that can also say how long the list is. */
export function CountedPage<Item extends TSchema>(item: Item) {
  return Type.Object({
    items: Type.Array(item),
    next: Type.Optional(Type.String()),
    total: Type.Optional(
      Type.Integer({ description: "All that match, where it was asked for and could be counted without reading all" }),
    ),
  });
}

export const PageQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100 })),
  cursor: Type.Optional(
    Type.String({ pattern: "^[A-Za-z0-9_-]+$", maxLength: 512, description: "next of the page before; opaque" }),
  ),
};

/** Also how many there are in all. */
export const CountQuery = { count: Type.Optional(Type.Boolean({ description: "Also say how many match in all" })) };

/** Of a report with a row for each of many things. */
export const LargestQuery = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1000,
      description: "Only so many rows, the largest first; `rest` says what the others come to",
    }),
  ),
};

/** What a list is sorted by: a name, or `-` and a name for the other way round. */
export function SortQuery<const Names extends readonly string[]>(names: Names) {
  const both = names.flatMap((name) => [name, `-${name}`] as const) as (Names[number] | `-${Names[number]}`)[];
  return { sort: Type.Optional(Type.Enum(both, { description: "A field; with - the other way round" })) };
}

const PlainValue = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]);

/** One mistake of a request. */
export const Mistake = Type.Object({
  field: Type.String({ description: "Path in the body, such as gpus[1] or checkpoint.grace; empty for the whole" }),
  value: Type.Optional(PlainValue),
  message: Type.String({ description: "What is wrong, with the field and its value" }),
  fix: Type.Optional(Type.String({ description: "What to do" })),
  example: Type.Optional(Type.String({ description: "The field as it could be written in a job file" })),
});
export type Mistake = Static<typeof Mistake>;

/** RFC 9457, with what a caller needs to mend the request. */
export const Problem = Type.Object({
  type: Type.String({ description: "A URI reference that names the kind of problem" }),
  title: Type.String(),
  status: Type.Integer(),
  detail: Type.String(),
  code: Type.String({ description: "Stable name of the kind of problem" }),
  field: Type.Optional(Type.String()),
  value: Type.Optional(PlainValue),
  hint: Type.Optional(Type.String()),
  problems: Type.Optional(
    Type.Array(Mistake, { description: "Every mistake that was found; detail, field, value and hint are the first" }),
  ),
  jobs: Type.Optional(
    Type.Array(
      Type.Object({
        id: Type.String(),
        project: Type.String(),
        user: Type.String(),
        state: Type.String(),
        submittedAt: Timestamp,
      }),
      { description: "The live jobs that a name may mean, if there are several" },
    ),
  ),
  requestId: Type.String(),
});
export type Problem = Static<typeof Problem>;

/** A GPU model, or `*` for any. */
export const gpuModelPattern = "^(\\*|[A-Za-z0-9][A-Za-z0-9._-]{0,62})$";

const gpus = Type.Number({ minimum: 0, maximum: 1_000_000, multipleOf: 0.001 });

/** GPUs of any model, or by model, or by the owner's sizes: `4`, `{"H100": 4, "*": 2}`, `{"Small": 10}`. Parts down to thousandths of a GPU. */
export const GpuAmount = Type.Union([
  gpus,
  Type.Record(Type.String({ pattern: gpuModelPattern }), gpus, { additionalProperties: false, maxProperties: 100 }),
]);
export type GpuAmount = Static<typeof GpuAmount>;

export const durationPattern = "^(([0-9]{1,9}(ms|s|m|h|d|w))+|([0-9]{1,3}-)?[0-9]{1,4}:[0-5][0-9]:[0-5][0-9])$";

/** A date and time, or how long ago. */
export const DateTimeOrAgo = Type.String({
  pattern: `^(${datePattern}|${durationPattern.slice(1, -1)})$`,
  maxLength: 64,
  title: "a date and time, or a duration",
  description: "ISO 8601, or a duration back from now such as 7d",
  examples: ["7d"],
});

/** `90m`, `2h30m`, `1d`, `500ms`, and as batch systems write it `01:30:00`, `2-12:00:00`. */
export const Duration = Type.String({
  pattern: durationPattern,
  maxLength: 64,
  title: "a duration",
  description: "A number with a unit, such as 90s, 45m, 2h30m or 1d, or hours:minutes:seconds",
  examples: ["90m"],
});

/** What becomes of a job whose GPUs are idle. */
export const idleRule = {
  gpu_below: Type.Optional(
    Type.String({
      pattern: "^[0-9]{1,3}(\\.[0-9]{1,2})?%$",
      maxLength: 7,
      title: "a share",
      description: "Activity of a GPU below which it is idle, from 0.1% to 50%",
      examples: ["5%"],
    }),
  ),
  for: Duration,
  do: Type.Optional(Type.Enum(["stop", "suspend", "notify"], { default: "stop" })),
};

/** What jobs reach beyond their gang; the list means declared. */
export const Egress = Type.Union(
  [
    Type.Enum(["none", "declared", "all"]),
    Type.Object(
      { allow: Type.Array(Line(260, "A host and a port, such as pypi.org:443"), { maxItems: 64 }) },
      { additionalProperties: false },
    ),
  ],
  { title: "none, declared, all or a list", examples: [{ allow: ["pypi.org:443"] }] },
);
