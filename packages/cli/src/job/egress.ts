/** `none`, `declared` and `all` as they are; anything else is a list of targets. */
export function egressOf(text: string | undefined): string | { allow: string[] } | undefined {
  if (text === undefined || ["none", "declared", "all"].includes(text)) return text;
  return { allow: text.split(",").map((target) => target.trim()) };
}
