export { openUnsyncedSqliteStore } from "../store/sqlite/store.ts";
