import { environmentOf, type LeaseOrder } from "@tessera/engine";
import type { EnvVar } from "../api/types.ts";
import { donePath, folders } from "../inside/parts.ts";
import { annotation } from "../names.ts";

/** Each pod has an address of its own: no two members can meet on one port. */
const masterPort = 29_500;
const masterNames = ["MASTER_ADDR", "TESS_MASTER_ADDR"];

/**
 * The environment of a member. Secrets are read from the secret of the pod. Rank 0 is met at the address of its pod, which
 * is known once that runs: it knows its own, and the others get it with their release.
 */
export function memberEnv(order: LeaseOrder, secretName: string): EnvVar[] {
  const marked = environmentOf(
    order,
    {
      path: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
      home: folders.work,
      temporary: folders.temporary,
      cache: folders.cache,
      work: folders.work,
      out: folders.out,
      checkpoint: folders.checkpoint,
      done: donePath,
      masterAddress: "",
      masterPort,
      addresses: [],
      choosesGpus: false,
    },
    {},
  );
  const own = Object.keys(order.secrets).filter((name) => !name.startsWith("TESS_"));
  const fieldPath = order.rank === 0 ? "status.podIP" : `metadata.annotations['${annotation.master}']`;
  return [
    ...Object.entries(marked)
      .filter(([name]) => !own.includes(name) && name !== "PATH" && !masterNames.includes(name))
      .map(([name, value]) => ({ name, value: literal(value) })),
    ...masterNames
      .filter((name) => order.env[name] === undefined || name.startsWith("TESS_"))
      .map((name) => ({
        name,
        valueFrom: { fieldRef: { fieldPath } },
      })),
    ...own.map((key) => ({ name: key, valueFrom: { secretKeyRef: { name: secretName, key } } })),
  ];
}

/** Kubernetes replaces `$(NAME)` in environments, commands and arguments, not in hooks; a doubled `$` is one that it leaves alone. */
export function literal(text: string): string {
  return text.replaceAll("$", "$$$$");
}
