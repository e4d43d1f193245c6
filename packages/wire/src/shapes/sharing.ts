import Type, { type Static } from "typebox";

export const PoolMode = Type.Enum(["any", "whole", "mig", "mps", "timeslice"], {
  description: "How GPUs are shared; any: as each idle GPU is needed, by the strongest isolation",
});
export const Ratio = Type.Integer({
  minimum: 1,
  maximum: 4,
  description: "How often the compute of a GPU is given out by time slices; memory is given out once",
});
export const PartTrust = Type.Enum(["confidential", "untrusted", "trusted"], {
  description: "The least trust of a tenant whose parts of GPUs come here",
});

/** How the GPUs of a node, or one GPU, are shared, and how much of them is given out. Absent = whole GPUs only. */
export const SharingShape = Type.Object({
  mode: PoolMode,
  ratio: Type.Optional(Ratio),
  trust: Type.Optional(PartTrust),
  given: Type.Number({ description: "How much is given out, in GPUs as jobs ask for them" }),
  of: Type.Integer({ description: "How much can be given out: GPUs times the ratio" }),
});
export type SharingShape = Static<typeof SharingShape>;

const PartMode = Type.Enum(["mig", "mps", "timeslice"]);

/** The part of its one GPU that a member holds. */
export const HeldPart = Type.Object({
  mode: PartMode,
  profile: Type.Optional(Type.String({ description: "Of a MIG instance" })),
  share: Type.Number({ description: "Of the compute of one GPU: what is counted and billed" }),
  memoryMiB: Type.Integer({ description: "GPU memory" }),
});
export type HeldPart = Static<typeof HeldPart>;

/** A part that a job would get, and what would hold its limits. */
export const PartOffer = Type.Object({
  model: Type.String(),
  ...HeldPart.properties,
  limits: Type.Record(Type.String(), Type.String(), { description: "What holds each limit, in words" }),
});
export type PartOffer = Static<typeof PartOffer>;
