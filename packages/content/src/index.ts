/** Content-addressed files, apart for each tenant: snapshots of code and outputs of jobs. */

export { ContentDamaged, ContentMissing, ContentRefused } from "./failure.ts";
export { type Bytes, ContentStore, type TenantContent } from "./store.ts";
