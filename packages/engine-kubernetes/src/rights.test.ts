import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { loadAllYaml } from "@kubernetes/client-node";
import { missingRights, rightsNeeded } from "./rights.ts";

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

test("the rights that a cluster is checked for are those that the manifest gives", () => {
  const manifest = readFileSync(new URL("../../../deploy/kubernetes/rbac.yaml", import.meta.url), "utf8");
  const roles: { kind: string; metadata: { name: string; namespace?: string }; rules?: Rule[] }[] =
    loadAllYaml(manifest);
  const given = roles
    .filter(({ kind, metadata }) => /Role$/.test(kind) && metadata.name === "tessera")
    .flatMap(({ metadata: { namespace }, rules = [] }) =>
      rules.map(({ apiGroups, resources, verbs, resourceNames }) => ({
        group: apiGroups[0],
        resources,
        verbs,
        ...(namespace !== undefined && { namespace }),
        ...(resourceNames !== undefined && { name: resourceNames[0] }),
      })),
    );
  assert.deepEqual(rightsNeeded, given);
});

test("rights that are missing are named, the first of them and how many more", async () => {
  const without = (refused: (asked: { verb: string; resource: string }) => boolean) => ({
    post: async <T>(_path: string, body: unknown) => {
      const { resourceAttributes } = (body as { spec: { resourceAttributes: { verb: string; resource: string } } })
        .spec;
      return { status: { allowed: !refused(resourceAttributes) } } as T;
    },
  });
  assert.equal(await missingRights(without(() => false)), undefined);
  assert.equal(
    await missingRights(without(({ verb, resource }) => verb === "patch" && resource === "nodes")),
    "the user of the kubeconfig may not patch nodes",
  );
  assert.match(
    (await missingRights(without(() => true))) ?? "",
    /may not get nodes, list nodes, watch nodes, patch nodes and \d+ more$/,
  );
});
