/**
 * A record of the books may reach far: what overlaps a day is slow to find by either end alone, the slower the longer ago.
 * An index has the records of each class of length apart, in each of which the ends of the wanted ones lie close together.
 * A class is computed from what is stored, so it needs no column.
 */
const hour = 3_600_000;
const mostMs = [hour, 24 * hour, 7 * 24 * hour, Number.MAX_SAFE_INTEGER];

const whens = mostMs.slice(0, -1).map((most, length) => `WHEN to_at - from_at <= ${most} THEN ${length}`);

/** The class of a record, exactly as the index has it: another spelling would not find the index, so it never changes. */
export const bookLength = `CASE ${whens.join(" ")} ELSE ${mostMs.length - 1} END`;

/** All classes with the length that none of their records exceeds, as SQL rows for a join. */
export const bookLengths = mostMs.map((most, length) => `(${length}, ${most})`).join(",");
