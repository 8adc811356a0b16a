import { useState } from 'react'
import { useAct } from '../act.tsx'
import { useCart } from '../cart.tsx'
import { money, untilDate } from '../format.ts'
import { Button } from '../ui/basics.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { OfferForm } from './offer-form.tsx'
import type { Inscription, Membership, Royalty } from './traded.ts'

/** Buying an inscription, or offering for it. */
export function BuyerActions({
  inscription,
  collection: { slug },
  royalty: { buyerBps },
}: {
  inscription: Inscription
  collection: Membership
  royalty: Royalty
}) {
  const { run, busy } = useAct()
  const cart = useCart()
  const [isOffering, setOffering] = useState(false)
  const { listing, inscriptionId, name, contentType } = inscription
  const line = listing?.state === 'buyable' && {
    inscriptionId,
    listingId: listing.listingId,
    slug,
    name,
    priceSats: listing.priceSats,
    contentType,
  }
  return (
    <div className="flex flex-wrap gap-2">
      {line && (
        <>
          <Button
            kind="main"
            disabled={busy !== null}
            onClick={() =>
              void run(`Buying ${name}`, async (trades, trading) => {
                const txid = await trades.buyItems(trading, slug, [line], buyerBps)
                return `Bought in ${txid}. In the mempool. Yours after the next block, about 10 minutes.`
              })
            }
          >
            Buy now
          </Button>
          <Button aria-pressed={cart.has(inscriptionId)} onClick={() => cart.toggle(line)}>
            {cart.has(inscriptionId) ? 'In the cart' : 'Add to cart'}
          </Button>
        </>
      )}
      <Button disabled={busy !== null} onClick={() => setOffering(true)}>
        Make an offer
      </Button>
      {isOffering && (
        <Sheet open title={`Offer for ${name}`} onClose={() => setOffering(false)}>
          <OfferForm
            label="Your offer in BTC"
            submit="Make the offer"
            stepSats={1000}
            leastSats={2000}
            busy={busy !== null}
            onSubmit={(priceSats, hours) => {
              setOffering(false)
              void run('Making the offer', async (trades, trading) => {
                await trades.makeOffer(trading, slug, inscriptionId, priceSats, hours, buyerBps)
                return `Offer placed. ${money(priceSats)} on ${name} until ${untilDate(hours)}.`
              })
            }}
          />
        </Sheet>
      )}
    </div>
  )
}
