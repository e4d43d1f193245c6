export { durationText, readDuration, shortDuration } from "@tessera/core/duration";
