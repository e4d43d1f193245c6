import type { JobSpec } from "./job.ts";
import type { NodeOffers } from "./node.ts";

/** What a node or an engine may lack for a job, other than amounts. */
export type Lack = "images" | "without-image" | "workdir" | "code" | "mounts" | "isolation";

/** The part of a request that decides where it can run, other than amounts. */
export type OfferAsk = Pick<JobSpec, "image" | "workdir" | "code" | "venv" | "mounts" | "isolation" | "gpus">;

/** Whether a node that offers this can run a job; absent = everything. */
export function offersAll(offers: NodeOffers | undefined, spec: OfferAsk): boolean {
  if (offers === undefined) return true;
  if (spec.image === undefined ? !offers.withoutImage : !offers.images) return false;
  if (spec.workdir !== undefined && !offers.workdir) return false;
  if ((spec.code !== undefined || spec.venv !== undefined) && !offers.code) return false;
  if (spec.mounts !== undefined && !offers.mounts) return false;
  return isolates(offers, spec);
}

/** What a job needs and a node that offers this lacks. */
export function lacksOf(offers: NodeOffers | undefined, spec: OfferAsk): Lack[] {
  if (offers === undefined) return [];
  const lacks: Lack[] = [];
  if (spec.image !== undefined && !offers.images) lacks.push("images");
  if (spec.image === undefined && !offers.withoutImage) lacks.push("without-image");
  if (spec.workdir !== undefined && !offers.workdir) lacks.push("workdir");
  if ((spec.code !== undefined || spec.venv !== undefined) && !offers.code) lacks.push("code");
  if (spec.mounts !== undefined && !offers.mounts) lacks.push("mounts");
  if (!isolates(offers, spec)) lacks.push("isolation");
  return lacks;
}

/** A job that takes any isolation still needs one that divides GPUs if it asks for nothing but parts. */
function isolates({ isolation }: NodeOffers, { isolation: asked, gpus }: OfferAsk): boolean {
  if (asked !== "any") return isolation.includes(asked);
  return gpus.some((ask) => ask.part === undefined) || isolation.some((level) => level !== "whole");
}

/** A number that is the same for jobs that need the same of a node, isolation aside. */
export function offerBits({ image, workdir, code, venv, mounts }: Omit<OfferAsk, "isolation" | "gpus">): number {
  return (
    (image === undefined ? 0 : 1) +
    (workdir === undefined ? 0 : 2) +
    (code === undefined && venv === undefined ? 0 : 4) +
    (mounts === undefined ? 0 : 8)
  );
}
