import type { Architecture } from "../../gpu/architecture.ts";

/** How much GPU memory a model takes to serve or to train. Whole MiB, rounded up. */

export type Precision = "fp32" | "fp16" | "bf16" | "fp8" | "int8" | "int4";
export type Tuning = "full" | "lora" | "qlora";

/** Hundredths of a byte per parameter. Four-bit weights include scales, and some layers stay at 16 bits. */
const weightCentibytes: { readonly [precision in Precision]: number } = {
  fp32: 400,
  fp16: 200,
  bf16: 200,
  fp8: 100,
  int8: 100,
  int4: 55,
};

/**
 * Hundredths of a byte per parameter in training: weights, gradients and optimizer (16 bytes) of each trained parameter.
 * Adapters train an assumed half percent of the model, beside the frozen base at 16 or 4 bits.
 */
const stateCentibytes: { readonly [tuning in Tuning]: number } = { full: 1600, lora: 200 + 8, qlora: 55 + 8 };

const contextMiB = 1024;
const workspaceMiBMin = 512;
const vocabulary = 128_000;
/** Buffers of collective operations, on each GPU of several. */
export const exchangeMiB = 1024;
/** Context and fragments of a training run, on each GPU. */
export const trainingContextMiB = 2048;

export interface InferenceFootprint {
  readonly weightsMiB: number;
  readonly kvMiB: number;
  readonly needMiB: number;
}

/** Weights, the keys and values of all tokens in flight, the CUDA context, and workspace of 7 % of the weights. */
export function inferenceFootprint(
  model: Architecture,
  precision: Precision,
  contextTokens: number,
  concurrency: number,
): InferenceFootprint {
  const weightsMiB = toMiB(centibytes(model, weightCentibytes[precision]));
  const kvMiB = toMiB(model.kvBytesPerToken * contextTokens * concurrency);
  const workspaceMiB = Math.max(workspaceMiBMin, Math.ceil((weightsMiB * 7) / 100));
  return { weightsMiB, kvMiB, needMiB: weightsMiB + kvMiB + contextMiB + workspaceMiB };
}

export interface TrainingFootprint {
  /** Memory that can be divided among the GPUs. */
  readonly statesMiB: number;
  /** Memory that each GPU needs. */
  readonly activationMiB: number;
}

/** With activations recomputed: the checkpoint of each layer, one layer in full, and the logits with their gradient. */
export function trainingFootprint(
  model: Architecture,
  tuning: Tuning,
  sequenceTokens: number,
  batch: number,
): TrainingFootprint {
  const tokens = sequenceTokens * batch;
  const layers = (2 * model.layers + 34) * tokens * model.hidden;
  const logits = 2 * 4 * tokens * vocabulary;
  return { statesMiB: toMiB(centibytes(model, stateCentibytes[tuning])), activationMiB: toMiB(layers + logits) };
}

/** The fewest GPUs of this memory that hold a training run with its states divided; 0 = no number does. */
export function trainingGpusMin({ statesMiB, activationMiB }: TrainingFootprint, memoryMiB: number): number {
  const roomMiB = usableMiB(memoryMiB) - activationMiB - trainingContextMiB;
  return roomMiB <= 0 ? 0 : Math.ceil(statesMiB / roomMiB);
}

/** 92 % of a device is usable; the rest is lost to fragmentation and the driver. */
export function usableMiB(memoryMiB: number): number {
  return Math.floor((memoryMiB * 92) / 100);
}

/** The smallest device, or part of one, that holds `needMiB`. */
export function deviceMiB(needMiB: number): number {
  return Math.ceil((needMiB * 100) / 92);
}

function centibytes(model: Architecture, hundredths: number): number {
  return Math.ceil((model.parameters * hundredths) / 100);
}

function toMiB(bytes: number): number {
  return Math.ceil(bytes / 1_048_576);
}
