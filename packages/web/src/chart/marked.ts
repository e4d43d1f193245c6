import { createContext } from "react";

/** The moment that the page shows, which charts mark; undefined = now. */
export const Marked = createContext<number | undefined>(undefined);
