import { usageFailure } from "../failure.ts";

/** Labels as `key=value` words. A key that is given twice must not have two values: nothing has both. */
export function labelsOf(flag: string, words: readonly string[]): Record<string, string> {
  const labels: Record<string, string> = {};
  for (const word of words) {
    const at = word.indexOf("=");
    if (at < 1) throw usageFailure(`${flag} must be KEY=VALUE, got "${word}"`, `such as ${flag} gpu-type=sxm`);
    const [key, value] = [word.slice(0, at), word.slice(at + 1)];
    const before = Object.hasOwn(labels, key) ? labels[key] : value;
    if (before !== value)
      throw usageFailure(
        `${flag} asks for ${key} to be "${before}" and "${value}"`,
        "a label has one value; keep one of them",
      );
    labels[key] = value;
  }
  return labels;
}
