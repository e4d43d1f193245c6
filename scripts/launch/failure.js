/** Something a person can put right: what went wrong, and what to do about it. Printed without a stack trace. */
export class Failure extends Error {
  constructor(message, { advice, output = "", exitCode = 1, cause } = {}) {
    super(message, { cause });
    this.advice = advice;
    this.output = output;
    this.exitCode = exitCode;
  }
}

/** How a failure reads on the terminal: what the tool said, then what happened, then what to do. */
export function describe(failure) {
  const lines = [];
  const said = failure.output.trimEnd();
  if (said !== "") lines.push(said, "");
  lines.push(`tessera: ${failure.message}`, `  ${failure.advice}`);
  return `${lines.join("\n")}\n`;
}

const unreachable =
  /\b(ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ESOCKETTIMEDOUT|ERR_SOCKET_TIMEOUT|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|ENOTCACHED)\b/;

/** In this order: the first that matches what npm printed explains the failure. */
const npmFailures = [
  {
    sign: /\b(ENOSPC|EDQUOT)\b/,
    message: "there is no space left on the disk for the packages",
    advice: "They need about 600 MB in the clone and as much again in npm's cache. Free some space and start again.",
  },
  {
    sign: unreachable,
    message: "npm could not reach its registry",
    advice:
      "The first start needs the network. Check the connection, and the proxy if there is one (npm config get proxy), then start again.",
  },
  {
    sign: /\b(UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?|SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|CERT_[A-Z_]+)\b/,
    message: "npm does not trust the certificate of its registry",
    advice: "Behind a proxy that opens TLS, name its certificate: npm config set cafile <file>. Then start again.",
  },
  {
    sign: /\bEBADPLATFORM\b/,
    message: "a package does not exist for this kind of machine",
    advice: "Tessera runs on Linux and macOS, on x64 and arm64.",
  },
  {
    sign: /\b(E401|E403|ENEEDAUTH)\b/,
    message: "npm's registry refused access",
    advice: "The registry that npm is set up for wants a login: see npm config get registry and npm login.",
  },
  {
    sign: /\b(E404|ETARGET)\b/,
    message: "npm's registry does not have a package that Tessera needs",
    advice: "If npm is set up for a private registry, it must mirror the public one. See npm config get registry.",
  },
  {
    sign: /\bEINTEGRITY\b/,
    message: "a downloaded package is not the one that package-lock.json names",
    advice: "The npm cache may be damaged: run npm cache clean --force, then start again.",
  },
  {
    sign: /\bEUSAGE\b/,
    message: "package.json and package-lock.json do not agree",
    advice: "After editing dependencies run npm install and commit package-lock.json; otherwise restore both files.",
  },
  {
    sign: /\b(EACCES|EPERM|EROFS)\b/,
    message: "npm may not write where it needs to",
    advice:
      "The clone and npm's cache (npm config get cache) must be writable for you. Correct their owner and start again.",
  },
];

/** Turns what a failed `npm ci` printed into a failure with advice. */
export function explainNpm(output) {
  const known = npmFailures.find(({ sign }) => sign.test(output));
  const code = known?.sign.exec(output)?.[0];
  if (known === undefined) {
    return new Failure("the packages could not be installed", {
      advice: "The lines above are npm's. Put right what they name and start again; npm ci repeats this step alone.",
      output: lastLines(output, 30),
    });
  }
  return new Failure(`${known.message} (${code})`, { advice: known.advice, output: lastLines(output, 10) });
}

function lastLines(text, count) {
  return text.trimEnd().split("\n").slice(-count).join("\n");
}
