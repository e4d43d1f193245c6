import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const days = "3650";

/** The authority of one lab, with all keys and certificates in one folder. */
export class Certificates {
  constructor(folder) {
    this.folder = folder;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (existsSync(this.path("ca.crt"))) return;
    this.#key("ca");
    openssl(
      "req",
      "-x509",
      "-new",
      "-key",
      this.path("ca.key"),
      "-subj",
      "/CN=lab",
      "-days",
      days,
      "-out",
      this.path("ca.crt"),
    );
    openssl("genrsa", "-out", this.path("accounts.key"), "2048");
    openssl("rsa", "-in", this.path("accounts.key"), "-pubout", "-out", this.path("accounts.pub"));
  }

  path(name) {
    return join(this.folder, name);
  }

  server(name, names) {
    this.#sign(name, `/CN=${name}`, `extendedKeyUsage=serverAuth\nsubjectAltName=${names.join(",")}\n`);
  }

  /** Of a user in some groups; `expired` was valid for one day, years ago. */
  client(name, { user = name, groups = [], expired = false } = {}) {
    const subject = `${groups.map((group) => `/O=${group}`).join("")}/CN=${user}`;
    this.#sign(name, subject, "extendedKeyUsage=clientAuth\n", expired);
  }

  #key(name) {
    openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", this.path(`${name}.key`));
  }

  #sign(name, subject, extensions, expired = false) {
    if (existsSync(this.path(`${name}.crt`))) return;
    this.#key(name);
    const [request, extensionFile] = [this.path(`${name}.csr`), this.path(`${name}.ext`)];
    openssl("req", "-new", "-key", this.path(`${name}.key`), "-subj", subject, "-out", request);
    writeFileSync(extensionFile, extensions);
    if (expired) return this.#signExpired(name, request, extensionFile);
    const authority = ["-CA", this.path("ca.crt"), "-CAkey", this.path("ca.key"), "-CAcreateserial"];
    const rest = ["-days", days, "-extfile", extensionFile, "-out", this.path(`${name}.crt`)];
    openssl("x509", "-req", "-in", request, ...authority, ...rest);
  }

  /** Only the command `ca` takes dates, and it wants a book of what it signed. */
  #signExpired(name, request, extensionFile) {
    const config = this.path("ca.conf");
    writeFileSync(this.path("ca.index"), "");
    writeFileSync(
      config,
      `[ca]\ndefault_ca=lab\n[lab]\ndatabase=${this.path("ca.index")}\nrand_serial=yes\ndefault_md=sha256\nnew_certs_dir=${this.folder}\npolicy=any\n[any]\ncommonName=supplied\norganizationName=optional\n`,
    );
    const dates = ["-startdate", "20200101000000Z", "-enddate", "20200102000000Z"];
    const files = ["-in", request, "-extfile", extensionFile, "-out", this.path(`${name}.crt`)];
    const authority = ["-cert", this.path("ca.crt"), "-keyfile", this.path("ca.key")];
    openssl("ca", "-batch", "-notext", "-config", config, ...authority, ...dates, ...files);
  }
}

function openssl(...words) {
  execFileSync("openssl", words, { stdio: ["ignore", "ignore", "pipe"] });
}
