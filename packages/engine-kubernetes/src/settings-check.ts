import { type Refusal, refuse, refuseAll } from "@tessera/core";
import { settingNames } from "./settings.ts";

const labelKey = /^([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;
const objectName = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;
const image = /^[a-z0-9][A-Za-z0-9._:/@-]{0,499}$/;

const shapes: { readonly [name in (typeof settingNames)[number]]: readonly [RegExp, string] } = {
  context: [/^.{1,253}$/, "the name of a context of the kubeconfig"],
  blockLabel: [labelKey, "the key of a label of nodes, such as example.com/block"],
  rackLabel: [labelKey, "the key of a label of nodes, such as example.com/rack"],
  defaultImage: [image, "an image, such as python:3.14"],
  agentImage: [image, "an image, such as tessera:0.1.0"],
  checkpointClass: [objectName, "the name of a storage class of the cluster"],
  checkpointSize: [/^[1-9]\d{0,5}(Mi|Gi|Ti)$/, "an amount of storage, such as 50Gi"],
  untrustedRuntime: [objectName, "the name of a runtime class of the cluster, such as gvisor"],
  confidentialRuntime: [objectName, "the name of a runtime class of the cluster, such as kata"],
  pullSecret: [objectName, "the name of a secret in the namespace tessera-system"],
};

/** Whether these can be the settings of a cluster, without asking it. */
export function checkSettings(settings: { readonly [name: string]: string }): Refusal | undefined {
  return refuseAll(
    Object.entries(settings).flatMap(([name, value]) => {
      const field = `settings.${name}`;
      const known = settingNames.find((each) => each === name);
      if (known === undefined) {
        return refuse(
          "unknown-field",
          field,
          value,
          "is not a setting of a cluster",
          `Settings are ${settingNames.join(", ")}`,
        );
      }
      const [shape, what] = shapes[known];
      return shape.test(value) ? [] : refuse("invalid", field, value, `is not ${what}`, `Give ${what}`);
    }),
  );
}
