import type { CheckRecord, HealthFinding } from "../model/health.ts";

/** What engines see of the health of nodes and what their checks give is sent by the shell, not by people. */
export type HealthCommand =
  /** `node` is its key; `count` = how often it was seen, where that is more than once. */
  | ({ readonly kind: "node.finding"; readonly count?: number } & HealthFinding)
  /** `held`: of GPUs on which the asker's own job runs; nothing follows from it, since that job is in the way. */
  | {
      readonly kind: "node.checked";
      readonly node: string;
      readonly results: readonly CheckRecord[];
      readonly held?: true;
    }
  /** The owner says that the node is well, also where no check could say so. */
  | { readonly kind: "repair.close"; readonly repair: number; readonly reason: string };
