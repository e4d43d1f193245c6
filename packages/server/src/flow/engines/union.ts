import type { Capabilities } from "@tessera/engine";

/** What some engine can do: a job that asks for more runs on none. Which of them runs it is told by its nodes. */
export function unionOf(all: readonly Capabilities[]): Capabilities {
  const [only] = all;
  if (all.length === 1 && only !== undefined) return only;
  // Where one of them cannot keep tenants apart, jobs of a second tenant must not get there.
  const oneTenant = all.find((each) => each.oneTenant !== undefined)?.oneTenant;
  return {
    images: all.some(({ images }) => images),
    isolation: [...new Set(all.flatMap(({ isolation }) => isolation))],
    workdir: all.some(({ workdir }) => workdir),
    mounts: all.some(({ mounts }) => mounts),
    code: all.some(({ code }) => code),
    withoutImage: all.some(({ withoutImage }) => withoutImage ?? true),
    ...(oneTenant !== undefined && { oneTenant }),
  };
}
