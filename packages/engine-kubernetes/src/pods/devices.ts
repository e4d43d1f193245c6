import type { LeaseOrder } from "@tessera/engine";
import { MemberRefused, SeatGone } from "../api/error.ts";
import type { NodeView } from "../nodes/facts.ts";

/** What a pod must ask for, so that it gets the GPUs of its order. */
export interface DeviceAsk {
  /** Counted resources, by name. */
  readonly resources: Readonly<Record<string, number>>;
  /** Devices by uuid, one entry for each kind. */
  readonly claims: readonly {
    readonly driver: string;
    readonly deviceClass: string;
    readonly uuids: readonly string[];
  }[];
}

/** Throws SeatGone where the node does not have a GPU, and MemberRefused where it cannot cut it as ordered. */
export function deviceAskOf(order: Pick<LeaseOrder, "gpuUuids" | "node" | "part">, view: NodeView): DeviceAsk {
  if (order.part !== undefined) {
    const models = [...new Set(view.facts.gpus.map(({ model }) => model))];
    throw new MemberRefused(
      `a cluster hands out parts of GPUs as its owner has cut them, and Tessera cuts none there; node ${order.node} has ${models.join(", ")}: ask for one of them by name`,
    );
  }
  const resources: Record<string, number> = {};
  const claims = new Map<string, { driver: string; deviceClass: string; uuids: string[] }>();
  for (const uuid of order.gpuUuids) {
    const source = view.sources.get(uuid);
    if (source === undefined) throw new SeatGone(`GPU ${uuid} is not on node ${order.node}`);
    if (source.kind === "plugin") {
      resources[source.resource] = (resources[source.resource] ?? 0) + 1;
    } else {
      const { driver, deviceClass } = source;
      const claim = claims.get(deviceClass) ?? { driver, deviceClass, uuids: [] };
      claim.uuids.push(uuid);
      claims.set(deviceClass, claim);
    }
  }
  return { resources, claims: [...claims.values()] };
}

/** The claim by which a pod gets exactly these devices; its name is that of the pod. */
export function claimSpecOf({ claims }: DeviceAsk): unknown {
  const requests = claims.map(({ driver, deviceClass, uuids }, index) => {
    const list = uuids.map((uuid) => JSON.stringify(uuid)).join(", ");
    const expression = `device.attributes[${JSON.stringify(driver)}].uuid in [${list}]`;
    return {
      name: `gpu-${index}`,
      exactly: {
        deviceClassName: deviceClass,
        allocationMode: "ExactCount",
        count: uuids.length,
        selectors: [{ cel: { expression } }],
      },
    };
  });
  return { devices: { requests } };
}
