/** What a posted entry does to the books: the server books the same legs. */
export { type Leg, legsOfEntry, type PostedKind } from "@tessera/core/entry-legs";
