import {
  type FileKey,
  headerBytes,
  headerOf,
  isSealed,
  newFileKey,
  openFrame,
  openHeader,
  SealBroken,
  sealFrame,
  type WrappingKey,
  wrappingIdsOf,
} from "./form.ts";
import { labelFor } from "./keys.ts";

/** Opens a file of the log of one lease that begins with `start`, with the key that it names. */
export async function logSealFor(
  start: Buffer,
  find: (id: string) => Promise<WrappingKey | undefined>,
  lease: string,
): Promise<ReturnType<typeof logSealOf>> {
  const ids = isSealed(start) && start.length >= headerBytes ? wrappingIdsOf(start) : [];
  const keys = await Promise.all(ids.map(find));
  return logSealOf(
    keys.filter((key) => key !== undefined),
    lease,
  );
}

/** Seals the log of one lease with the first of these keys, and opens with all; each file is bound to its lease and name. */
export function logSealOf(keys: readonly WrappingKey[], lease: string) {
  const [newest] = keys;
  const of = (key: FileKey) => ({
    seal: (at: number, plain: Buffer) => sealFrame(key, at, plain),
    open: (at: number, frame: Buffer) => openFrame(key, at, frame),
  });
  return {
    headerBytes,
    isSealed,
    begin(name: string) {
      if (newest === undefined) throw new SealBroken("there is no data key to seal it with");
      const key = newFileKey(labelFor(`log ${lease} ${name}`));
      return { ...of(key), header: headerOf(key, newest) };
    },
    resume(header: Buffer, name: string) {
      const key = openHeader(header, keys);
      if (!key.label.equals(labelFor(`log ${lease} ${name}`))) throw new SealBroken("it is the log of another job");
      return of(key);
    },
  };
}
