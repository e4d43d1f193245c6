import type { ApiClient } from "../api/client.ts";
import { isStatus, MemberRefused } from "../api/error.ts";
import { paths } from "../api/paths.ts";
import type { KubeObject } from "../api/types.ts";
import { systemNamespace } from "../names.ts";
import { read } from "./settle.ts";
import { pullSecretName } from "./tenant.ts";

interface Secret extends KubeObject {
  readonly type?: string;
  readonly data?: Readonly<Record<string, string>>;
}

/** Copies the secret with which images are pulled into a tenant's namespace; `fresh` replaces a copy that is there. */
export async function copyPullSecret(
  client: ApiClient,
  name: string,
  to: { readonly namespace: string; readonly labels: Readonly<Record<string, string>> },
  fresh: boolean,
): Promise<void> {
  const source = await pullSecret(client, name);
  if (source === undefined) {
    throw new MemberRefused(`the engine's pull secret ${name} is not in namespace ${systemNamespace}; create it there`);
  }
  // Tessera may not read secrets of namespaces, and a patch answers with what it patched: they are only made and deleted.
  if (fresh) await client.delete(paths.secret(to.namespace, pullSecretName), undefined).catch(unless(404));
  const { type, data } = source;
  await client
    .post(paths.secrets(to.namespace), { metadata: { name: pullSecretName, ...to }, type, data })
    .catch(unless(409));
}

/** Undefined where there is none. */
export function pullSecret(client: ApiClient, name: string): Promise<Secret | undefined> {
  return read<Secret>(client, paths.secret(systemNamespace, name));
}

function unless(status: number): (error: unknown) => void {
  return (error) => {
    if (!isStatus(error, status)) throw error;
  };
}
