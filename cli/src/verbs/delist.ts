import { delist as delistAt } from '@ordbook/sdk'
import { Failure } from '../failure.ts'
import type { Verb } from '../verb.ts'

export const delist: Verb = {
  usage: 'ID...',
  summary: 'Cancel listings, without a signature',
  options: {},
  async run(desk, args) {
    const items = await desk.items(args.ids())
    const slug = desk.slugOf(items)
    const trader = await desk.trader()
    const listings = []
    for (const { inscriptionId } of items) {
      const { listing } = await desk.client.call('getInscription', { params: { id: inscriptionId } })
      if (!listing) throw new Failure('not-listed', `${inscriptionId} is not listed`)
      listings.push({ inscriptionId, listingId: listing.listingId })
    }
    if (desk.flags.isDryRun)
      return {
        document: { dryRun: true, collection: slug, listings },
        text: `would delist ${listings.length} of ${slug}`,
      }
    const answer = await delistAt(trader, slug, listings)
    return {
      document: { collection: slug, ...answer },
      text: listings.map(({ inscriptionId }) => `delisted ${inscriptionId}`),
    }
  },
}
