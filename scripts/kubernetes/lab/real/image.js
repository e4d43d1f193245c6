import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProgram } from "../packages.js";

const type = "application/vnd.oci.image";
const path = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/**
 * Makes an image of one layer from a folder, as an archive that containerd imports. `config` as in an image: Entrypoint,
 * Cmd, Env, User, WorkingDir.
 */
export function writeImage({ name, folder, archive, config = {} }) {
  const work = mkdtempSync(join(tmpdir(), "tess-image-"));
  try {
    const blobs = join(work, "blobs", "sha256");
    mkdirSync(blobs, { recursive: true });
    const layerFile = join(work, "layer");
    execFileSync("tar", [
      "-C",
      folder,
      "--numeric-owner",
      "--owner=0",
      "--group=0",
      "--sort=name",
      "-cf",
      layerFile,
      ".",
    ]);
    const layer = keepBlob(layerFile, blobs, `${type}.layer.v1.tar`);
    const put = (value, mediaType) => {
      const file = join(work, "value");
      writeFileSync(file, JSON.stringify(value));
      return keepBlob(file, blobs, mediaType);
    };
    const image = {
      architecture: { x64: "amd64", arm64: "arm64" }[process.arch],
      os: "linux",
      config: { WorkingDir: "/", ...config, Env: [path, ...(config.Env ?? [])] },
      rootfs: { type: "layers", diff_ids: [layer.digest] },
    };
    const described = put(image, `${type}.config.v1+json`);
    const mediaType = `${type}.manifest.v1+json`;
    const manifest = put({ schemaVersion: 2, mediaType, config: described, layers: [layer] }, mediaType);
    const named = { ...manifest, annotations: { "io.containerd.image.name": name } };
    writeFileSync(join(work, "index.json"), JSON.stringify({ schemaVersion: 2, manifests: [named] }));
    writeFileSync(join(work, "oci-layout"), '{"imageLayoutVersion":"1.0.0"}');
    execFileSync("tar", ["-C", work, "-cf", archive, "oci-layout", "index.json", "blobs"]);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Moves a file to where its content names it, and describes it. */
function keepBlob(file, blobs, mediaType) {
  const hash = createHash("sha256").update(readFileSync(file)).digest("hex");
  const size = statSync(file).size;
  renameSync(file, join(blobs, hash));
  return { mediaType, digest: `sha256:${hash}`, size };
}

/** A folder with a shell and the usual small programs. The caller removes it. */
export function busyboxFolder() {
  const folder = mkdtempSync(join(tmpdir(), "tess-busybox-"));
  for (const each of ["bin", "etc", "tmp", "root", "home"]) mkdirSync(join(folder, each));
  cpSync(findProgram("busybox"), join(folder, "bin/busybox"), { dereference: true });
  const names = execFileSync(join(folder, "bin/busybox"), ["--list"], { encoding: "utf8" }).split("\n");
  for (const name of names) if (name !== "" && name !== "busybox") symlinkSync("busybox", join(folder, "bin", name));
  writeFileSync(join(folder, "etc/passwd"), "root:x:0:0:root:/root:/bin/sh\nuser:x:1000:1000::/home:/bin/sh\n");
  writeFileSync(join(folder, "etc/group"), "root:x:0:\nuser:x:1000:\n");
  return folder;
}
