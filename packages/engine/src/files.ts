/** Files of members: how they are looked at below folders of a tenant, and how results are kept. */
export { bytesOf, openFile, openFolder, walk } from "./files/below.ts";
export { collectOutputs, type Leavings, sizeText } from "./files/collect.ts";
export { type Keeper, KeeperOver, serveKeeper } from "./files/keeper.ts";
