/** Maximum number of inscriptions that one side of a proposal can give. */
export const MAX_GIVEN = 50
