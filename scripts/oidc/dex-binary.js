import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const version = "v0.0.0-20260806151424-ab64ed778070";
const api = "v2.4.1-0.20260806151424-ab64ed778070";

/** The path of a real Dex, built once from the Go module proxy into `.cache`; undefined where there is no Go. */
export function dexBinary(root) {
  const folder = join(root, ".cache", "dex", version);
  const binary = join(folder, "dex");
  if (existsSync(binary)) return binary;
  try {
    execFileSync("go", ["version"], { stdio: "ignore" });
  } catch {
    return undefined;
  }
  mkdirSync(folder, { recursive: true });
  const module = [
    "module dexbuild",
    "go 1.26",
    `require github.com/dexidp/dex ${version}`,
    `replace github.com/dexidp/dex/api/v2 => github.com/dexidp/dex/api/v2 ${api}`,
    "",
  ];
  writeFileSync(join(folder, "go.mod"), module.join("\n"));
  console.error("test:oidc: building Dex (once, some minutes)");
  const build = ["build", "-mod=mod", "-o", binary, "github.com/dexidp/dex/cmd/dex"];
  execFileSync("go", build, {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, GOFLAGS: "" },
  });
  return binary;
}
