import type { Answer } from '@ordbook/sdk/operations.ts'
import { useState } from 'react'
import { useAct } from '../act.tsx'
import { useCart } from '../cart.tsx'
import { useRead } from '../client.ts'
import { useSession } from '../session.tsx'
import { Button, Dialog, Price, Time } from '../ui/basics.tsx'
import { ListForm } from './list-form.tsx'
import { OfferForm } from './offer-form.tsx'

type Inscription = Answer<'getInscription'>

/** What an inscription can be had for, and what its owner can do. */
export function InscriptionTrade({ inscription }: { inscription: Inscription }) {
  const { account } = useSession()
  const { run, busy } = useAct()
  const cart = useCart()
  const [dialog, setDialog] = useState<'offer' | 'list' | null>(null)
  const { listing, inscriptionId, name } = inscription
  const [collection] = inscription.collections
  const royalty = useRead(
    'getCollection',
    { params: { slug: collection?.slug ?? '' } },
    { enabled: collection !== undefined },
  )
  if (!collection)
    return (
      <p className="panel p-4 text-sm text-soft">
        It is in no collection of this market, so it is not traded here.
      </p>
    )
  const { escrow } = inscription
  const isOwn = account != null && account.ordinalsAddress === (escrow?.owner ?? inscription.owner)
  const buyerRoyaltyBps = royalty.data?.buyerRoyaltyBps ?? 0
  const sellerRoyaltyBps = royalty.data?.sellerRoyaltyBps ?? 0
  const line = listing && {
    inscriptionId,
    listingId: listing.listingId,
    slug: collection.slug,
    name,
    priceSats: listing.priceSats,
    contentType: inscription.contentType,
  }
  return (
    <section className="panel grid gap-4 p-4" aria-label="Trade">
      {listing ? (
        <div>
          <p className="text-sm text-soft">
            {listing.state === 'buyable'
              ? 'For sale'
              : listing.state === 'hidden_locked'
                ? 'A trade of it is under way'
                : 'For sale as soon as a block has it'}
            , listed <Time at={listing.listedAt} />
            {listing.expiresAt && (
              <>
                , ends <Time at={listing.expiresAt} until />
              </>
            )}
          </p>
          <Price sats={listing.priceSats} className="text-3xl font-semibold" />
        </div>
      ) : (
        <p className="text-soft">
          Not listed.{' '}
          {collection.floorSats !== null && (
            <>
              The floor of {collection.name} is <Price sats={collection.floorSats} />.
            </>
          )}
        </p>
      )}
      {isOwn && escrow && (
        <p className="rounded-lg bg-glow p-3 text-sm">
          It rests in escrow, and it is yours: a transfer was sent whose sale did not follow. The market takes
          it back to you at its own cost.{' '}
          {escrow.escrowForm === 'wallet' && 'Without the market your wallet does that alone, at yours.'}
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        {isOwn ? (
          <>
            {listing && listing.state !== 'hidden_locked' && (
              <Button
                disabled={busy !== null}
                onClick={() =>
                  void run('Taking it down', async (trades, trading) => {
                    const one = { inscriptionId, listingId: listing.listingId }
                    await trades.delistItems(trading, collection.slug, [one])
                    return 'It is no longer for sale.'
                  })
                }
              >
                Delist
              </Button>
            )}
            <Button kind="main" disabled={busy !== null} onClick={() => setDialog('list')}>
              {listing ? 'Change the price' : 'List for sale'}
            </Button>
            {escrow && (
              <Button
                disabled={busy !== null}
                onClick={() =>
                  void run('Taking it back', async (trades, trading) => {
                    const txid = await trades.reclaimItem(trading, inscriptionId)
                    return `On its way to your address in ${txid}.`
                  })
                }
              >
                Take it back
              </Button>
            )}
            {escrow?.escrowForm === 'wallet' && (
              <Button
                disabled={busy !== null}
                onClick={() =>
                  void run('Leaving escrow', async (trades, trading) => {
                    const txid = await trades.leaveEscrow(trading, inscriptionId)
                    return `On its way to your address in ${txid}.`
                  })
                }
              >
                Leave escrow alone
              </Button>
            )}
          </>
        ) : (
          <>
            {listing?.state === 'buyable' && line && (
              <>
                <Button
                  kind="main"
                  disabled={busy !== null}
                  onClick={() =>
                    void run(`Buying ${name}`, async (trades, trading) => {
                      const txid = await trades.buyItems(trading, collection.slug, [line], buyerRoyaltyBps)
                      return `Bought in ${txid}. It is yours once a block has it.`
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
            <Button disabled={busy !== null} onClick={() => setDialog('offer')}>
              Make an offer
            </Button>
          </>
        )}
      </div>
      {dialog === 'offer' && (
        <Dialog title={`Offer for ${name}`} onClose={() => setDialog(null)}>
          <OfferForm
            label="Your offer in BTC"
            submit="Make the offer"
            stepSats={1000}
            leastSats={2000}
            busy={busy !== null}
            onSubmit={(priceSats, hours) => {
              setDialog(null)
              void run('Making the offer', async (trades, trading) => {
                await trades.makeOffer(
                  trading,
                  collection.slug,
                  inscriptionId,
                  priceSats,
                  hours,
                  buyerRoyaltyBps,
                )
                return 'Your offer stands.'
              })
            }}
          />
        </Dialog>
      )}
      {dialog === 'list' && (
        <Dialog title={`List ${name}`} onClose={() => setDialog(null)}>
          <ListForm
            slug={collection.slug}
            items={[{ inscriptionId, name, floorSats: collection.floorSats }]}
            royaltyBps={sellerRoyaltyBps}
            onDone={() => setDialog(null)}
          />
        </Dialog>
      )}
    </section>
  )
}
