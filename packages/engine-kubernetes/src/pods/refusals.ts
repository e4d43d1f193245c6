import type { LeaseOrder } from "@tessera/engine";
import { ApiError, MemberRefused, SeatGone } from "../api/error.ts";
import { insideFault } from "../inside/parts.ts";
import type { KubernetesSettings } from "../settings.ts";
import type { Verdict } from "./status.ts";

/** The kernel takes no argument longer than 128 KiB. */
const scriptBytesMax = 128 * 1024 - 1;

/** What of an order this engine cannot do, in words for its user. */
export function faultOf(order: LeaseOrder, settings: KubernetesSettings): string | undefined {
  if (order.image === undefined && settings.defaultImage === undefined) {
    return "it names no image, and this cluster has no default one; name one with --image";
  }
  const fault = insideFault(order, settings);
  if (fault !== undefined) return fault;
  if (order.strict) return "strict: the number of processes of a pod cannot be limited here";
  for (const [field, script] of Object.entries({ setup: order.setup ?? "", run: order.run })) {
    if (Buffer.byteLength(script) > scriptBytesMax) {
      return `${field} is longer than the ${scriptBytesMax} bytes that a shell can be given; put it into a file`;
    }
  }
  return undefined;
}

/** What stands in the way of a member for good, in the words of the cluster; undefined for what may pass. */
export function verdictFor(error: unknown): Verdict | undefined {
  if (error instanceof SeatGone) return { kind: "lost", reason: error.message };
  if (error instanceof MemberRefused) return { kind: "refused", reason: error.message };
  if (!(error instanceof ApiError)) return undefined;
  const passing = /being terminated|not yet ready to handle|timed out|context deadline/i.test(error.message);
  if (![400, 403, 422].includes(error.status) || passing) return undefined;
  return { kind: "refused", reason: `the cluster refuses it: ${error.message}` };
}
