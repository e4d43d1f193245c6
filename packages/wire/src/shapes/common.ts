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

/** One line of text that a terminal may show: no control characters, no invisible ones that turn text around. */
export function Line(maxLength: number, description?: string) {
  return Type.String({ maxLength, pattern: "^[^\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]*$", ...(description && { description }) });
}

/** All text but the one character that neither files nor environments can carry. */
export const anyTextPattern = "^[^\\u0000]*$";

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

export const PageQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100 })),
  cursor: Type.Optional(Type.String({ maxLength: 512 })),
};

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

/** GPUs of any model, or by model, or by the owner's sizes: `4`, `{"H100": 4, "*": 2}`, `{"Small": 10}`. Parts down to thousandths of a GPU. */
export const GpuAmount = Type.Union([
  Type.Number({ minimum: 0, maximum: 1_000_000 }),
  Type.Record(Type.String({ pattern: gpuModelPattern }), Type.Number({ minimum: 0, maximum: 1_000_000 }), {
    additionalProperties: false,
  }),
]);
export type GpuAmount = Static<typeof GpuAmount>;

export const durationPattern = "^((\\d{1,9}(ms|s|m|h|d|w))+|(\\d{1,3}-)?\\d{1,4}:[0-5]\\d:[0-5]\\d)$";

/** `90m`, `2h30m`, `1d`, `500ms`, and as batch systems write it `01:30:00`, `2-12:00:00`. */
export const Duration = Type.String({
  pattern: durationPattern,
  maxLength: 64,
  title: "a duration",
  description: "A number with a unit, such as 90s, 45m, 2h30m or 1d, or hours:minutes:seconds",
  examples: ["90m"],
});
