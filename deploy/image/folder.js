import { cpSync, rmSync } from "node:fs";
import { tesseraFolder } from "./rootfs.js";

/** Writes the file system of the image into the folder that is given: what the Containerfile copies. */
const [, , into] = process.argv;
const folder = tesseraFolder();
cpSync(folder, into, { recursive: true, verbatimSymlinks: true });
rmSync(folder, { recursive: true, force: true });
