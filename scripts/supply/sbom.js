import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../launch/root.js";
import { unnamed } from "./licences.js";
import { lockedPackages } from "./lock.js";

/**
 * Everything that is handed on, as a CycloneDX document. Made from the lock file, because `npm sbom` leaves out what one
 * of our packages needs at run time and another for its tests.
 */
export function sbom() {
  const { name, version, license } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const own = { type: "application", name, version, "bom-ref": `${name}@${version}`, ...licencesOf(license) };
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: own },
    components: lockedPackages(root)
      .filter(({ dev }) => !dev)
      .map(componentOf),
  };
}

function componentOf({ name, version, license = unnamed[name], integrity }) {
  const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
  const content = Buffer.from(integrity.replace("sha512-", ""), "base64").toString("hex");
  const hashes = [{ alg: "SHA-512", content }];
  return { type: "library", name, version, "bom-ref": purl, purl, hashes, ...licencesOf(license) };
}

function licencesOf(id) {
  return { licenses: [{ license: { id } }] };
}

if (process.argv[1] === import.meta.filename) console.log(JSON.stringify(sbom(), null, 2));
