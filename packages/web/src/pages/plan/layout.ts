import type { FleetPlanShape, PlanBlock, PlanClosed } from "@tessera/wire";

export type Drawn = PlanBlock | PlanClosed;

/** A part of a block on the picture: a stretch of time and of GPUs. A block that finds no gap of its height has several. */
export interface PlanRect {
  readonly of: Drawn;
  readonly from: number;
  readonly to: number;
  /** The lowest of its GPUs, counted from the bottom of the picture. */
  readonly low: number;
  readonly gpus: number;
}

type Plan = Pick<FleetPlanShape, "at" | "until" | "gpus" | "blocks" | "closed">;

export function isBlock(drawn: Drawn): drawn is PlanBlock {
  return "kind" in drawn;
}

/**
 * Places blocks on GPUs × time: what runs longest at the bottom, so that ends are stairs that go down; what is closed at
 * the top; planned starts in the gaps that ends leave. Which GPUs these are is not meant: only how many.
 */
export function layOut(plan: Plan): { readonly rects: readonly PlanRect[]; readonly top: number } {
  const [from, until] = [Date.parse(plan.at), Date.parse(plan.until)];
  const spanOf = (drawn: Drawn) => ({
    from: Math.max(from, Date.parse(drawn.from)),
    to: drawn.until === undefined ? until : Math.min(until, Date.parse(drawn.until)),
  });
  const endOf = ({ until: end }: Drawn) => (end === undefined ? Number.POSITIVE_INFINITY : Date.parse(end));
  const rects: PlanRect[] = [];
  const running = plan.blocks
    .filter(({ kind }) => kind === "running")
    .toSorted((a, b) => descending(endOf(a), endOf(b)));
  let low = 0;
  for (const of of running) {
    rects.push({ of, ...spanOf(of), low, gpus: of.gpus });
    low += of.gpus;
  }
  const place = (of: Drawn, gaps: (gaps: Gap[]) => Gap[]) => {
    const span = spanOf(of);
    if (of.gpus === 0 || span.to <= span.from) return;
    let left = of.gpus;
    for (const gap of gaps(gapsIn(rects, span, plan.gpus))) {
      const gpus = Math.min(left, gap.high - gap.low);
      if (gpus <= 0) break;
      rects.push({ of, ...span, low: gap.fromTop ? gap.high - gpus : gap.low, gpus });
      left -= gpus;
    }
    if (left > 0) rects.push({ of, ...span, low: Math.max(plan.gpus, topOf(rects)), gpus: left });
  };
  for (const of of plan.closed)
    place(of, (gaps) => gaps.toReversed().map((gap) => ({ ...gap, fromTop: true as const })));
  for (const of of plan.blocks.filter(({ kind }) => kind === "planned")) place(of, (gaps) => gaps);
  return { rects, top: Math.max(plan.gpus, topOf(rects)) };
}

/** Infinite ends are equal. */
function descending(a: number, b: number): number {
  return a === b ? 0 : b - a;
}

function topOf(rects: readonly PlanRect[]): number {
  return rects.reduce((top, { low, gpus }) => Math.max(top, low + gpus), 0);
}

interface Gap {
  readonly low: number;
  readonly high: number;
  readonly fromTop?: true;
}

/** The GPUs that no block has at any time of a span, from the bottom up. */
function gapsIn(rects: readonly PlanRect[], span: { from: number; to: number }, top: number): Gap[] {
  const taken = rects.filter(({ from, to }) => from < span.to && span.from < to).sort((a, b) => a.low - b.low);
  const gaps: Gap[] = [];
  let low = 0;
  for (const each of taken) {
    if (each.low > low) gaps.push({ low, high: each.low });
    low = Math.max(low, each.low + each.gpus);
  }
  if (low < top) gaps.push({ low, high: top });
  return gaps;
}
