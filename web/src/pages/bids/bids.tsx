import type { Answer } from '@ordbook/sdk/operations.ts'
import { queries, useRead } from '@ordbook/web-ui/api/client.ts'
import { useSession } from '@ordbook/web-ui/session/session.tsx'
import { useAct } from '@ordbook/web-ui/signing/act.tsx'
import { Badge, Button, Empty, Loaded, Price, Time } from '@ordbook/web-ui/ui/basics.tsx'
import { Fragment, useState } from 'react'
import { SellNow } from '../forms/sell-now.tsx'
import { NotNow } from '../parts/not-now.tsx'
import { BracketNotes, Lanes } from './book-brackets.tsx'
import { bracketsOf, lanesAt } from './book-levels.ts'
import { NewBid } from './new-bid.tsx'

type Collection = Answer<'getCollection'>
type Bid = Answer<'listCollectionOfferBook'>['rows'][number]

const targetText = (target: Bid['target']) =>
  target.kind === 'all'
    ? 'Any item'
    : target.traits.map(({ type, values }) => `${type}: ${values.join(' or ')}`).join(', ')

/** Returns offers as levels, with the offers that share their coins. */
function withSharing(rows: readonly Bid[], depth: Answer<'getDepth'> | undefined) {
  const offers = (depth?.bids ?? []).flatMap((level) => level.offers)
  const sharing = new Map(offers.map((offer) => [offer.offerId, offer.sharesCoinWith]))
  return rows.map(({ id }) => ({ offers: [{ offerId: id, sharesCoinWith: sharing.get(id) ?? [] }] }))
}

export function Bids({ collection }: { collection: Collection }) {
  const { slug } = collection
  const { account } = useSession()
  const book = useRead('listCollectionOfferBook', { params: { slug } })
  const own = useRead('listMySentCollectionOffers', { params: { slug } }, { enabled: Boolean(account) })
  const depth = useRead('getDepth', { params: { slug } })
  const [selling, setSelling] = useState<Bid | null>(null)
  const { run, busy } = useAct(`bids of ${slug}`)
  const cancel = (offerId: string) =>
    run('Cancelling the offer', async (_, { signed }) => {
      const { client } = await import('@ordbook/web-ui/api/client.ts')
      await client.call('cancelCollectionWideOffer', {
        params: { slug, offerId },
        body: { walletBindingId: signed.walletBindingId },
      })
      await queries.invalidateQueries()
      return 'Offer cancelled.'
    })
  const brackets = bracketsOf(withSharing(book.data?.rows ?? [], depth.data))
  const mine = new Set(account ? (own.data?.rows ?? []).map((row) => row.id) : [])
  return (
    <div className="grid gap-6 lg:grid-cols-[1fr_20rem]">
      <section className="grid content-start gap-3">
        <h2 className="text-lg font-semibold">Offers, best first</h2>
        <Loaded of={book}>
          {({ rows: offers }) =>
            offers.length === 0 ? (
              <Empty title="No offers yet. Be the first.">
                The owner of any eligible item can accept immediately.
              </Empty>
            ) : (
              <ul className="panel divide-y divide-line">
                {offers.map((offer, n) => (
                  <Fragment key={offer.id}>
                    <li className="relative flex flex-wrap items-center gap-3 px-4 py-3 text-sm">
                      <Lanes of={lanesAt(brackets, n)} />
                      <Price sats={offer.priceSats} className="w-36 font-medium" />
                      <span className="min-w-32 flex-1">{targetText(offer.target)}</span>
                      <span className="text-soft">
                        ends <Time at={offer.expiresAt} until />
                      </span>
                      {mine.has(offer.id) ? (
                        <>
                          <Badge tone="good">yours</Badge>
                          <Button disabled={busy !== null} onClick={() => void cancel(offer.id)}>
                            Cancel
                          </Button>
                        </>
                      ) : (
                        offer.executable && <Button onClick={() => setSelling(offer)}>Sell now</Button>
                      )}
                      {!offer.executable &&
                        (mine.has(offer.id) ? (
                          <NotNow to="maker" />
                        ) : (
                          <Badge>Inactive at the current network fee</Badge>
                        ))}
                    </li>
                    <BracketNotes of={brackets} at={n} />
                  </Fragment>
                ))}
              </ul>
            )
          }
        </Loaded>
      </section>
      <NewBid collection={collection} />
      {selling && (
        <SellNow
          slug={slug}
          bid={{ offerId: selling.id, priceSats: selling.priceSats, collectionSlug: slug }}
          scope={targetText(selling.target).toLowerCase()}
          onClose={() => setSelling(null)}
        />
      )}
    </div>
  )
}
