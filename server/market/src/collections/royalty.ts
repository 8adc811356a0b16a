import { scriptOfAddress } from '@ordbook/bitcoin/address.ts'
import { missing } from '@ordbook/db/process/errors.ts'
import type { Context } from '../context.ts'
import { setRoyalty } from './queries.ts'

/** Sets the creator's royalty in basis points of the price, for future listings. `address` null removes it. */
export async function setCollectionRoyalty(
  { sql, config }: Pick<Context, 'sql' | 'config'>,
  slug: string,
  royalty: { address: string | null; sellerBps: number; buyerBps: number },
): Promise<void> {
  const script = royalty.address === null ? null : scriptOfAddress(royalty.address, config.addressNetwork)
  for (const bps of [royalty.sellerBps, royalty.buyerBps])
    if (!Number.isInteger(bps) || bps < 0 || bps > 5000)
      throw new RangeError(`A royalty must be an integer from 0 to 5000 basis points, got ${bps}.`)
  if (!(await setRoyalty(sql, slug, { ...royalty, script })))
    throw missing('collection-unknown', `Collection ${slug} not found.`)
}
