import { leftBehind, rootHolds } from "./rules.js";

/** The tracked files (`paths` from the root) that do not belong in the repository. */
export function strayFiles(paths) {
  return paths.flatMap((path) => {
    const [top] = path.split("/");
    if (!rootHolds.includes(top)) return [`${path} is tracked, but the root may not hold ${top}`];
    const file = path.slice(path.lastIndexOf("/") + 1);
    if (leftBehind.some((sign) => sign.test(file))) return [`${path} is tracked, but a program left it behind`];
    return [];
  });
}
