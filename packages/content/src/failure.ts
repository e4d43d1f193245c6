/** What was sent cannot be kept as what it was said to be; `detail` is for the one who sent it. */
export class ContentRefused extends Error {
  readonly hint: string;
  constructor(detail: string, hint: string) {
    super(detail);
    this.hint = hint;
  }
}

/** Something that was kept is not there: it was never sent, or removed because nothing referred to it. */
export class ContentMissing extends Error {
  readonly sha256: string;
  constructor(sha256: string, what: string) {
    super(`${what} (sha256 ${sha256}) is not kept here: send it again`);
    this.sha256 = sha256;
  }
}

/** What is kept no longer has its digest. It is removed, so that it counts as missing and can be sent again. */
export class ContentDamaged extends Error {
  readonly sha256: string;
  constructor(sha256: string, what: string) {
    super(`${what} (sha256 ${sha256}) was damaged on the disk and is removed: send it again`);
    this.sha256 = sha256;
  }
}
