/** Maximum number of inscriptions that a side can give. */
export const MAX_GIVEN = 50
