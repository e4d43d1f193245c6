import Type, { type Static } from "typebox";
import { Mistake, Timestamp } from "./common.ts";

/** Jobs of one kind that an effect names at most; the others are counted. */
export const previewNamedMax = 20;

/** Jobs that an effect is on: how many, and the first of them by name. */
export const EffectJobs = Type.Object({
  jobs: Type.Integer(),
  gpus: Type.Number(),
  named: Type.Array(
    Type.Object({ id: Type.String(), name: Type.String(), project: Type.String(), gpus: Type.Number() }),
    {
      description: "The first of those that the caller may see",
    },
  ),
});
export type EffectJobs = Static<typeof EffectJobs>;

/**
 * What an edit of an account would do at once, tried on a copy of the state, or why it would be refused. Held back are
 * jobs that wait and that only the new max keeps from starting. Nothing is changed.
 */
export const PreviewShape = Type.Object({
  at: Timestamp,
  whyNot: Type.Optional(Mistake),
  aboveMax: Type.Optional(
    Type.Array(Type.String(), { description: "What would be held above max: it stays until its jobs end" }),
  ),
  byModel: Type.Array(
    Type.Object({
      model: Type.String(),
      losesClass: EffectJobs,
      gainsClass: EffectJobs,
      starts: EffectJobs,
      pushedBack: EffectJobs,
      heldBack: EffectJobs,
    }),
    { description: "Models that something happens on; none where nothing does" },
  ),
});
export type PreviewShape = Static<typeof PreviewShape>;
