import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The files of a certificate and of its key. */
export interface Signed {
  readonly cert: string;
  readonly key: string;
}

const fresh = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];

/** A certificate authority for tests, made with openssl in a folder of its own. */
export class Authority {
  readonly folder = mkdtempSync(join(tmpdir(), "tessera-authority-"));
  readonly cert = join(this.folder, "ca.pem");
  readonly #key = join(this.folder, "ca.key");

  /** Why there is none here; false where there is. */
  static readonly missing = spawnSync("openssl", ["version"]).status !== 0 && "no openssl to make a certificate with";

  constructor(name: string) {
    openssl("req", "-x509", ...fresh, "-subj", `/CN=${name}`, "-keyout", this.#key, "-out", this.cert);
  }

  /** For a server, under these names (`DNS:db.example`, `IP:127.0.0.1`). */
  server(...names: string[]): Signed {
    return this.#sign("server", `subjectAltName=${names.join(",")}\n`);
  }

  client(name: string): Signed {
    return this.#sign(name, "extendedKeyUsage=clientAuth\n");
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  #sign(name: string, extensions: string): Signed {
    const base = mkdtempSync(join(this.folder, `${name}-`));
    const [cert, key, request, file] = ["cert.pem", "key.pem", "request", "extensions"].map((each) => join(base, each));
    openssl("req", "-new", ...fresh, "-subj", `/CN=${name}`, "-keyout", key!, "-out", request!);
    writeFileSync(file!, extensions);
    const by = ["-CA", this.cert, "-CAkey", this.#key, "-CAcreateserial", "-days", "2", "-extfile", file!];
    openssl("x509", "-req", "-in", request!, ...by, "-out", cert!);
    return { cert: cert!, key: key! };
  }
}

function openssl(...words: string[]): void {
  const { status, stderr } = spawnSync("openssl", words);
  if (status !== 0) throw new Error(`openssl ${words[0]}: ${stderr}`);
}
