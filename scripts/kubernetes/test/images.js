import { rmSync } from "node:fs";
import { imageConfig, tesseraFolder } from "../../../deploy/image/rootfs.js";
import { pythonFolder } from "../lab/real/python.js";

const names = { shell: "localhost/busybox:1", python: "localhost/python:1", tessera: "localhost/tessera:1" };
const given = new WeakSet();

/** Gives the real nodes of a lab the images that tests use, once, and tells their names. */
export function testImages(lab) {
  if (given.has(lab)) return names;
  given.add(lab);
  for (const [name, folder, config] of [
    [names.python, pythonFolder(), { Cmd: ["sh"] }],
    [names.tessera, tesseraFolder(), imageConfig],
  ]) {
    lab.addImage(name, folder, config);
    rmSync(folder, { recursive: true, force: true });
  }
  return names;
}
