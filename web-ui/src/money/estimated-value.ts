/** Returns the estimated value of an item in sats, or null if neither price is known. */
export const estimatedValueOf = (traitFloorSats: number | null, floorSats: number | null): number | null =>
  traitFloorSats ?? floorSats
