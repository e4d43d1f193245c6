/** Signed heads of a journal and the proofs between them; loads no schemas. */
export { isSigned, keyIdOf } from "./hashes.ts";
export { type HeadLine, headText, parseHead } from "./head-line.ts";
export { keysFrom, keyText, keyWithId, type NamedKey } from "./keys.ts";
export { isContinued, isIncluded } from "./proofs.ts";
export { type Compared, compareHead, type HeadServer, type Remembered } from "./remembered.ts";
