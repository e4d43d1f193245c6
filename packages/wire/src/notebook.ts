export { notebookRun } from "@tessera/core/notebook";
