export {
  byPath,
  faultOfLink,
  faultOfPath,
  isTreeFile,
  type Tree,
  type TreeEntry,
  type TreeFile,
  treeText,
} from "@tessera/core/tree";
