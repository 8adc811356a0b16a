import { client } from '../api/client.ts'
import type { CartLine } from '../rules/cart-lines.ts'

/** Reads the listings of inscriptions. Omits those that are not for sale or fail to load. */
export async function carriedLines(inscriptionIds: readonly string[]): Promise<CartLine[]> {
  const lines: CartLine[] = []
  for (const id of inscriptionIds) {
    const item = await client.call('getInscription', { params: { id } }).catch(() => null)
    const slug = item?.collections[0]?.slug
    if (item?.listing?.state !== 'buyable' || !slug) continue
    const { name, contentType, listing } = item
    const { listingId, priceSats } = listing
    lines.push({ inscriptionId: id, listingId, slug, name, priceSats, contentType })
  }
  return lines
}
