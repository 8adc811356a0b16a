const NAME = '#cart='
const ID = /^[0-9a-f]{64}i\d{1,10}$/
/** Keeps links short enough for wallet apps. */
const MAX_ITEMS = 20

/** Returns the address of a page with the items of a cart, for a browser that does not share localStorage. */
export const pageWithCart = (
  { origin, pathname, search }: Pick<Location, 'origin' | 'pathname' | 'search'>,
  inscriptionIds: readonly string[],
): string =>
  `${origin}${pathname}${search}${inscriptionIds.length > 0 ? NAME + inscriptionIds.slice(0, MAX_ITEMS).join() : ''}`

/** Returns the inscription ids of a cart in a fragment, or null without a cart. Anyone can write such a link. */
export function cartIn(hash: string): string[] | null {
  if (!hash.startsWith(NAME)) return null
  const ids = hash.slice(NAME.length).split(',')
  return [...new Set(ids.filter((id) => ID.test(id)))].slice(0, MAX_ITEMS)
}
