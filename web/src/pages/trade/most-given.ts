/** Most inscriptions that one side of a proposal can give. */
export const MOST_GIVEN = 50
