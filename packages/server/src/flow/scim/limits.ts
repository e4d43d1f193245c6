/** What one identity system may keep here, and say at once. */
export const scimLimits = {
  peopleMax: 50_000,
  groupsMax: 2_000,
  membersMax: 5_000,
  /** Of one person. */
  groupsOfPersonMax: 500,
  emailsMax: 10,
  operationsMax: 100,
  filterCharsMax: 2_000,
  conditionsMax: 10,
  textMax: 255,
  pageMax: 200,
  pageUsual: 100,
} as const;
