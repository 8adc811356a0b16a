/** Query key of the list of items that the visitor saw last; null before the first. */
export const lastList: { key: readonly unknown[] | null } = { key: null }
