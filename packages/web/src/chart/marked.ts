import { createContext } from "react";

/** The moment that the page shows; charts mark it. Undefined = now. */
export const Marked = createContext<number | undefined>(undefined);
