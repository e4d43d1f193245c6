/** What is stored is damaged or of another layout: it is thrown away, and made again from the journal. */
export class Damaged extends Error {}

/** The file cannot be read or written now, because its disk is full or fails. What is in it stays. */
export class Unavailable extends Error {}
