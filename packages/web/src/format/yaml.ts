import { stringify } from "yaml";

/** A job as a file: lines stay as they are, because a script that is folded reads as another one. */
export function writeYaml(spec: object): string {
  return stringify(spec, { lineWidth: 0, blockQuote: "literal" });
}
