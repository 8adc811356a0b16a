import { useState } from 'react'
import { useAct } from '../act.tsx'
import { useRead } from '../client.ts'
import { Button, Price } from '../ui/basics.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { ListForm } from './list-form.tsx'
import type { Inscription, Membership, Royalty } from './traded.ts'

interface Props {
  inscription: Inscription
  collection: Membership
  royalty: Royalty
}

/** Selling an own inscription: into the best offer, or by a listing. */
export function OwnerActions(props: Props) {
  const { run, busy } = useAct()
  const [isListing, setListing] = useState(false)
  const { inscription, collection, royalty } = props
  const { listing, inscriptionId, escrow, name } = inscription
  const isSelling = listing?.state === 'hidden_locked'
  const delist = () =>
    run('Taking it down', async (trades, trading) => {
      const one = { inscriptionId, listingId: listing!.listingId }
      await trades.delistItems(trading, collection.slug, [one])
      return 'It is no longer for sale.'
    })
  return (
    <>
      {!isSelling && !escrow && <SellNow {...props} />}
      <div className="flex flex-wrap gap-2">
        {listing && !isSelling && (
          <Button disabled={busy !== null} onClick={() => void delist()}>
            Delist
          </Button>
        )}
        <Button kind="main" disabled={busy !== null} onClick={() => setListing(true)}>
          {listing ? 'Change the price' : 'List for sale'}
        </Button>
      </div>
      {isListing && (
        <Sheet open title={`List ${name}`} onClose={() => setListing(false)}>
          <ListForm
            items={[{ inscriptionId, name, floorSats: collection.floorSats, royaltyBps: royalty.sellerBps }]}
            list={(trades, trading, wishes, days) =>
              escrow
                ? trades.relistItems(
                    trading,
                    wishes.map((wish) => ({ ...wish, inscriptionIds: [inscriptionId] })),
                    days,
                  )
                : trades.listItems(trading, collection.slug, wishes, days, royalty.sellerBps)
            }
            onDone={() => setListing(false)}
          />
        </Sheet>
      )}
    </>
  )
}

/** The offer that would leave the owner the most now; nothing where none can be taken. */
function SellNow({ inscription: { inscriptionId, name }, royalty }: Props) {
  const { run, busy } = useAct()
  const found = useRead('getBestBid', { params: { id: inscriptionId } })
  const bid = found.data?.bid
  if (!bid) return null
  const { offerId, priceSats, netSats, collectionSlug } = bid
  const sell = () =>
    run(`Selling ${name}`, async (trades, trading) => {
      const at = { inscriptionId, offerId, priceSats }
      const txid = collectionSlug
        ? await trades.fillBid(trading, collectionSlug, at, royalty.sellerBps + royalty.buyerBps)
        : await trades.acceptOfferOf(trading, at, royalty.sellerBps)
      return `Sold in ${txid}.`
    })
  return (
    <p className="flex flex-wrap items-center gap-3 rounded-lg bg-glow p-3 text-sm">
      <Button disabled={busy !== null} onClick={() => void sell()}>
        Sell now for <Price sats={priceSats} />
      </Button>
      <span>
        You receive about <Price sats={netSats} /> after all fees
        {collectionSlug ? ', from an offer for the collection.' : '.'}
      </span>
    </p>
  )
}
