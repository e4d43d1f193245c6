import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { LeaseOrder, TenantTerms } from "@tessera/engine";
import type { Node } from "../api/types.ts";
import type { GpuSource } from "../nodes/gpus.ts";
import { clusterFacts } from "./cluster-facts.ts";
import { jobPolicy } from "./network.ts";
import type { WallKind, WallObject } from "./object.ts";
import { pathOf } from "./object.ts";
import { quantityOf } from "./quota.ts";
import { podSecurity, userOf } from "./security.ts";
import { differs } from "./settle.ts";
import { runtimeClassOf, tenantOf, tolerationsOf, wallsOf } from "./tenant.ts";

const node = (index: number): Node => ({
  metadata: { name: `n${index}` },
  spec: { podCIDRs: [`10.202.${index}.0/24`] },
  status: {
    addresses: [
      { type: "InternalIP", address: `10.201.0.${index}` },
      { type: "Hostname", address: `n${index}` },
    ],
  },
});
const seen = { pods: [], gpus: [], services: [] };
const facts = clusterFacts({ ...seen, nodes: [node(0), node(1)], services: ["10.96.0.0/16"] });
const walls = (terms?: TenantTerms, settings = {}) =>
  wallsOf({ engine: "k8s", tenant: "ten_a1", terms }, settings, facts);
const find = (objects: readonly WallObject[], kind: WallKind, name?: string) =>
  objects.find((each) => each.kind === kind && (name === undefined || each.metadata.name === name))!;

describe("the walls of a tenant", () => {
  it("are one namespace under Pod Security `restricted`, first of all", () => {
    const [namespace] = walls();
    assert.equal(namespace?.kind, "Namespace");
    assert.equal(namespace.metadata.name, "tess-ten-a1");
    assert.equal(namespace.metadata.labels?.["pod-security.kubernetes.io/enforce"], "restricted");
  });

  it("give no token to jobs, nor to pods that name no account", () => {
    for (const name of ["tessera-job", "default"]) {
      assert.equal(find(walls(), "ServiceAccount", name).automountServiceAccountToken, false);
    }
  });

  it("hold the GPUs of the tenant's max under every name they have, and none where there is no max", () => {
    const gpus: GpuSource[] = [
      { kind: "plugin", resource: "nvidia.com/mig-1g.10gb" },
      { kind: "claim", driver: "gpu.nvidia.com", pool: "n1", device: "gpu-0", deviceClass: "gpu.nvidia.com" },
    ];
    const hard = (terms: TenantTerms) => {
      const objects = wallsOf(
        { engine: "k8s", tenant: "ten_a1", terms },
        {},
        clusterFacts({ ...seen, nodes: [], gpus }),
      );
      return (find(objects, "ResourceQuota").spec as { hard: Record<string, string> }).hard;
    };
    const limited = hard({ trust: "trusted", gpusMax: 16 });
    assert.equal(limited["requests.nvidia.com/gpu"], "16");
    assert.equal(limited["requests.nvidia.com/mig-1g.10gb"], "16");
    assert.equal(limited["gpu.nvidia.com.deviceclass.resource.k8s.io/devices"], "16");
    assert.equal(limited.pods, "20k");
    assert.equal(hard({ trust: "trusted" })["requests.nvidia.com/gpu"], undefined);
    assert.equal(hard({ trust: "trusted", gpusMax: 0 })["requests.nvidia.com/gpu"], "0");
  });

  it("list the images that the tenant and the engine's owner allow", () => {
    const images = (terms: TenantTerms, settings = {}) =>
      find(walls(terms, settings), "Namespace").metadata.annotations?.["tessera.dev/images"];
    assert.equal(images({ trust: "trusted" }), undefined);
    const terms = { trust: "trusted", images: ["lab.example/", "py:"] } as const;
    assert.equal(images(terms), "lab.example/\npy:");
    assert.equal(images(terms, { agentImage: "tessera:1" }), "lab.example/\npy:\ntessera:1");
  });

  it("let nothing in and nothing out but names, and to the world only past the cluster's own ranges", () => {
    const spec = (name: string) => find(walls(), "NetworkPolicy", name).spec;
    assert.deepEqual(spec("tessera-deny"), { podSelector: {}, policyTypes: ["Ingress", "Egress"] });
    const outside = spec("tessera-outside") as { podSelector: object; egress: [{ to: [{ ipBlock: object }] }] };
    assert.deepEqual(outside.podSelector, { matchLabels: { "tessera.dev/egress": "all" } });
    assert.deepEqual(outside.egress[0].to[0].ipBlock, {
      cidr: "0.0.0.0/0",
      except: ["169.254.0.0/16", "10.96.0.0/16", "10.201.0.0/31", "10.202.0.0/23"],
    });
  });

  it("learn the addresses of pods from pods where nodes do not tell them", () => {
    const silent = { ...node(7), spec: {} };
    const pod = (nodeName: string, podIP: string) => ({
      metadata: { name: "p" },
      spec: { nodeName, containers: [] },
      status: { podIP },
    });
    const pods = [pod("n7", "172.16.5.70"), pod("n7", "10.201.0.7"), pod("n1", "10.202.1.3")];
    assert.deepEqual(clusterFacts({ ...seen, nodes: [silent, node(1)], pods }).ranges, [
      "10.201.0.1/32",
      "10.201.0.7/32",
      "10.202.1.0/24",
      "172.16.5.64/26",
    ]);
  });

  it("are known again from the namespace alone", () => {
    const terms = { trust: "confidential", gpusMax: 8 } as const;
    const namespace = find(walls(terms), "Namespace");
    assert.deepEqual(tenantOf("k8s", namespace), { engine: "k8s", tenant: "ten_a1", terms });
    assert.equal(tenantOf("other", namespace), undefined);
    const forged = { metadata: { ...namespace.metadata, name: "kube-system" } };
    assert.equal(tenantOf("k8s", forged), undefined);
  });

  it("are put right when a part is missing, changed or added, and not when others add a label", () => {
    const wanted = find(walls(), "NetworkPolicy", "tessera-deny");
    assert.equal(differs(structuredClone(wanted), wanted), false);
    assert.equal(
      differs({ ...wanted, spec: { ...(wanted.spec as object), ingress: [{}] } } as WallObject, wanted),
      true,
    );
    assert.equal(differs({ metadata: { ...wanted.metadata, labels: {} } }, wanted), true);
    const labelled = {
      ...wanted,
      metadata: { ...wanted.metadata, labels: { ...wanted.metadata.labels, theirs: "1" } },
    };
    assert.equal(differs(labelled, wanted), false);
  });

  it("differ by trust: the runtime, and nodes of its own", () => {
    const settings = { untrustedRuntime: "gvisor", confidentialRuntime: "kata" };
    const classes = (["trusted", "untrusted", "confidential"] as const).map((trust) =>
      runtimeClassOf({ trust }, settings),
    );
    assert.deepEqual(classes, [undefined, "gvisor", "kata"]);
    assert.deepEqual(tolerationsOf("ten_a1", { trust: "untrusted" }), []);
    assert.equal(tolerationsOf("ten_a1", { trust: "confidential" })[0]?.value, "ten_a1");
  });

  it("make its pods run as a user of the tenant, never as root", () => {
    assert.equal(podSecurity("ten_a1").runAsUser, userOf("ten_a1"));
    assert.ok(userOf("ten_a1") >= 100_000 && userOf("ten_a1") !== userOf("ten_a2"));
  });
});

describe("the network of one job", () => {
  const order = (size: number, network?: LeaseOrder["network"]) =>
    ({ job: "job_b2", size, ...(network && { network }) }) as LeaseOrder;
  const policy = (size: number, network?: LeaseOrder["network"]) => jobPolicy(order(size, network), { namespace: "x" });

  it("needs no policy for one member that declares nothing", () => {
    assert.equal(policy(1), undefined);
    assert.equal(policy(1, { egress: "declared", allow: [] }), undefined);
  });

  it("lets the members of a gang reach each other and no one else", () => {
    const job = { podSelector: { matchLabels: { "tessera.dev/job": "job_b2" } } };
    const gang = policy(2)!;
    assert.deepEqual(gang.spec, {
      ...job,
      policyTypes: ["Ingress", "Egress"],
      ingress: [{ from: [job] }],
      egress: [{ to: [job] }],
    });
    assert.equal(pathOf(gang), "/apis/networking.k8s.io/v1/namespaces/x/networkpolicies/tessera-job-job-b2");
  });

  it("goes to declared addresses and ranges, and refuses names with what to write instead", () => {
    const { egress } = policy(1, { egress: "declared", allow: ["192.0.2.7:5432"] })!.spec as {
      egress: { to: object[] }[];
    };
    assert.deepEqual(egress[0]?.to, [{ ipBlock: { cidr: "192.0.2.7/32" } }]);
    assert.throws(
      () => policy(1, { egress: "declared", allow: ["pypi.org:443"] }),
      /declare the address or range of pypi\.org/,
    );
  });
});

it("writes numbers as the API server does", () => {
  assert.deepEqual([0, 7, 1000, 1500, 20_000, 3_000_000].map(quantityOf), ["0", "7", "1k", "1500", "20k", "3M"]);
});
