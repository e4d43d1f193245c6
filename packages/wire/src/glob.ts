export { isGlob, matchesGlob } from "@tessera/core/glob";
