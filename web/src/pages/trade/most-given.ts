/** Most inscriptions that one side of a trade gives. */
export const MOST_GIVEN = 50
