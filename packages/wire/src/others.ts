/** The key of the line of a series that adds up all that would be too many; no account is called so. */
export const othersKey = "(others)";
/** The key of the line of a series that is of accounts which have been deleted. */
export const formerKey = "(former)";
