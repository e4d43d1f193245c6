/** Content-addressed files, apart for each tenant: snapshots of code and outputs of jobs. */

export { ContentDamaged, ContentMissing, ContentRefused } from "./failure.ts";
export { rewrap, wrappedBy } from "./sealed/file.ts";
export { KeyUnknown, SealBroken, type WrappingKey } from "./sealed/form.ts";
export type { ContentKey, ContentKeys, EngineKeys, JobKeys, SentKeys } from "./sealed/keys.ts";
export { sentKeys, takenKeys } from "./sealed/keys.ts";
export { logSealFor, logSealOf } from "./sealed/log.ts";
export { type Bytes, ContentStore, type TenantContent } from "./store.ts";
