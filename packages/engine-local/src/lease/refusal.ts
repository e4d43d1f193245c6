import type { LeaseOrder } from "@tessera/engine";
import type { PresentedNodes } from "../inventory/presented.ts";
import type { Machine } from "../limit/machine.ts";
import { mountFault } from "../limit/mounts.ts";
import type { Networks } from "../limit/network/networks.ts";
import type { Tenancy } from "../limit/tenancy.ts";
import { isFileName } from "./name.ts";

/** The kernel takes no argument longer than 128 KiB. */
const scriptBytesMax = 128 * 1024 - 1;

export interface Premises {
  readonly machine: Machine;
  readonly nodes: PresentedNodes;
  readonly tenancy: Tenancy;
  readonly networks: Networks;
  /** Folders of the control plane, which no job may see. */
  readonly hidden: readonly string[];
}

/** Why a member cannot run here; undefined where it can. */
export async function refusalOf(order: LeaseOrder, premises: Premises): Promise<string | undefined> {
  const { machine, nodes, tenancy, networks, hidden } = premises;
  if (machine.isRoot && machine.means === "nothing") {
    return "this server runs as root and cannot run jobs as another user: install setpriv (util-linux), or start it unprivileged";
  }
  const node = await nodes.find(order.node);
  if (node === undefined) return `node ${order.node} is not presented by this engine`;
  const missing = order.gpuUuids.find((uuid) => !node.gpus.some((gpu) => gpu.uuid === uuid));
  if (missing !== undefined) return `GPU ${missing} is not on node ${order.node}`;
  if (!isFileName(order.tenant)) return `"${order.tenant}" cannot be the id of a tenant`;
  const unfit =
    (await tenancy.refusalOf(order.tenant)) ?? networks.refusalOf(order) ?? mountFault(machine.means, hidden, order);
  if (unfit !== undefined) return unfit;
  if (!isFileName(order.job)) return `"${order.job}" cannot be the id of a job`;
  if (order.image !== undefined) return `image ${order.image}: this engine runs commands, not images`;
  for (const [field, script] of Object.entries({ setup: order.setup ?? "", run: order.run })) {
    if (Buffer.byteLength(script) > scriptBytesMax) {
      return `${field} is longer than the ${scriptBytesMax} bytes that a shell can be given; put it into a file`;
    }
  }
  return undefined;
}
