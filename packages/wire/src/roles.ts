export { type Role, roles } from "@tessera/core/access";
