/** Loaded into a server first: sets its clock back by TESSERA_TEST_HOURS_AGO hours, so that what it writes is old. */
const RealDate = Date;
const behindMs = Number(process.env.TESSERA_TEST_HOURS_AGO) * 3_600_000;
globalThis.Date = class extends RealDate {
  constructor(...given: unknown[]) {
    if (given.length === 0) super(RealDate.now() - behindMs);
    else super(...(given as [number]));
  }
  static override now(): number {
    return RealDate.now() - behindMs;
  }
} as DateConstructor;
