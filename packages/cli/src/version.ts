import { existsSync, readFileSync } from "node:fs";

/** The version of this package: of the clone, or of the file that it was packed into. */
export function versionOfPackage(): string {
  for (let folder = new URL(".", import.meta.url); ; folder = new URL("..", folder)) {
    const file = new URL("package.json", folder);
    if (existsSync(file)) return JSON.parse(readFileSync(file, "utf8")).version;
    if (folder.pathname === "/") throw new Error("package.json is missing");
  }
}
