import type { Answer } from '@ordbook/sdk/operations.ts'
import { useState } from 'react'
import { useAct } from '../act.tsx'
import { client, queries, useRead } from '../client.ts'
import { shortAddress } from '../format.ts'
import { useSession } from '../session.tsx'
import { Button, Dialog, Empty, Loaded, Price, Time } from '../ui/basics.tsx'
import { OfferForm } from './offer-form.tsx'

type Inscription = Answer<'getInscription'>
type Offer = Answer<'listInscriptionOffers'>['offers'][number]

/** Offers on an inscription, and what either side can do about them. */
export function InscriptionOffers({ inscription }: { inscription: Inscription }) {
  const { account } = useSession()
  const { run, busy } = useAct()
  const { inscriptionId, owner } = inscription
  const [collection] = inscription.collections
  const [countering, setCountering] = useState<Offer | null>(null)
  const found = useRead(
    'listInscriptionOffers',
    { params: { id: inscriptionId } },
    { enabled: owner !== null },
  )
  const royalty = useRead(
    'getCollection',
    { params: { slug: collection?.slug ?? '' } },
    { enabled: collection !== undefined },
  )
  if (!owner || !collection) return null
  const sellerBps = royalty.data?.sellerRoyaltyBps ?? 0
  const buyerBps = royalty.data?.buyerRoyaltyBps ?? 0
  const isOwner = account?.ordinalsAddress === owner
  const act = (
    what: string,
    id: 'cancelOffer' | 'rejectOffer' | 'rejectCounterOffer',
    offerId: string,
    done: string,
  ) =>
    run(what, async (_, { signed }) => {
      await client.call(id, {
        params: { id: inscriptionId, offerId },
        body: { walletBindingId: signed.walletBindingId },
      })
      await queries.invalidateQueries()
      return done
    })
  return (
    <section className="grid gap-3">
      <h2 className="text-lg font-semibold">Offers</h2>
      <Loaded of={found}>
        {({ offers }) =>
          offers.length === 0 ? (
            <Empty title="No offers on it now" />
          ) : (
            <ul className="panel divide-y divide-line">
              {offers.map((offer) => {
                const isCounter = offer.kind === 'seller_counter'
                const isBuyer = account?.ordinalsAddress === offer.buyerAddress
                return (
                  <li key={offer.id} className="flex flex-wrap items-center gap-3 px-4 py-3 text-sm">
                    <Price sats={offer.priceSats} className="w-36 font-medium" />
                    <span className="min-w-32 flex-1 text-soft">
                      {isCounter ? 'counter to ' : 'by '}
                      <span className="font-mono text-xs">{shortAddress(offer.buyerAddress)}</span>
                      {isBuyer && ' (you)'}
                    </span>
                    <span className="text-soft">
                      ends <Time at={offer.expiresAt} until />
                    </span>
                    {isOwner && !isCounter && (
                      <>
                        <Button
                          kind="main"
                          disabled={busy !== null}
                          onClick={() =>
                            void run('Accepting the offer', async (trades, trading) => {
                              const { id: offerId, priceSats } = offer
                              const at = { inscriptionId, offerId, priceSats }
                              return `Sold in ${await trades.acceptOfferOf(trading, at, sellerBps)}.`
                            })
                          }
                        >
                          Accept
                        </Button>
                        <Button disabled={busy !== null} onClick={() => setCountering(offer)}>
                          Counter
                        </Button>
                        <Button
                          disabled={busy !== null}
                          onClick={() =>
                            void act('Declining', 'rejectOffer', offer.id, 'The offer is declined.')
                          }
                        >
                          Decline
                        </Button>
                      </>
                    )}
                    {isBuyer && isCounter && (
                      <>
                        <Button
                          kind="main"
                          disabled={busy !== null}
                          onClick={() =>
                            void run('Accepting the counter', async (trades, trading) => {
                              const { id: offerId, priceSats } = offer
                              const at = { inscriptionId, offerId, priceSats }
                              return `Bought in ${await trades.acceptCounterOf(trading, at, buyerBps)}.`
                            })
                          }
                        >
                          Accept
                        </Button>
                        <Button
                          disabled={busy !== null}
                          onClick={() =>
                            void act('Declining', 'rejectCounterOffer', offer.id, 'The counter is declined.')
                          }
                        >
                          Decline
                        </Button>
                      </>
                    )}
                    {((isBuyer && !isCounter) || (isOwner && isCounter)) && (
                      <Button
                        disabled={busy !== null}
                        onClick={() =>
                          void act('Taking it back', 'cancelOffer', offer.id, 'The offer is taken back.')
                        }
                      >
                        Cancel
                      </Button>
                    )}
                  </li>
                )
              })}
            </ul>
          )
        }
      </Loaded>
      {countering && (
        <Dialog title="Counter this offer" onClose={() => setCountering(null)}>
          <OfferForm
            label="Your price in BTC"
            submit="Make the counter"
            stepSats={1000}
            leastSats={2000}
            busy={busy !== null}
            onSubmit={(priceSats) => {
              const { id: offerId } = countering
              setCountering(null)
              void run('Making the counter', async (trades, trading) => {
                await trades.counterOffer(trading, { inscriptionId, offerId }, priceSats, sellerBps)
                return 'Your counter stands.'
              })
            }}
          />
        </Dialog>
      )}
    </section>
  )
}
