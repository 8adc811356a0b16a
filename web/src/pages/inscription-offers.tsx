import type { Answer } from '@ordbook/sdk/operations.ts'
import { useAct } from '../act.tsx'
import { client, queries, useRead } from '../client.ts'
import { money, shortAddress } from '../format.ts'
import { useSession } from '../session.tsx'
import { ticketActions, useTicket } from '../ticket/tickets.ts'
import { Button, Empty, Loaded, Price, Time } from '../ui/basics.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { ticket } from '../words/trade.ts'
import { NotNow } from './not-now.tsx'
import { OfferForm, useOffer } from './offer-form.tsx'
import { useSelling } from './selling.tsx'
import type { Inscription, Royalty } from './traded.ts'

type Offer = Answer<'listInscriptionOffers'>['offers'][number]

/** Offers on an inscription, and what either side can do about them. */
export function InscriptionOffers({ inscription }: { inscription: Inscription }) {
  const { account } = useSession()
  const { inscriptionId, owner } = inscription
  const [collection] = inscription.collections
  const found = useRead(
    'listInscriptionOffers',
    { params: { id: inscriptionId } },
    { enabled: owner !== null },
  )
  const traded = useRead(
    'getCollection',
    { params: { slug: collection?.slug ?? '' } },
    { enabled: collection !== undefined },
  )
  if (!owner || !collection) return null
  const royalty = {
    sellerBps: traded.data?.sellerRoyaltyBps ?? 0,
    buyerBps: traded.data?.buyerRoyaltyBps ?? 0,
  }
  const isOwner = account?.ordinalsAddress === owner
  return (
    <section className="grid gap-3">
      <h2 className="text-lg font-semibold">Offers</h2>
      {isOwner && <DeclineBids inscription={inscription} />}
      <Loaded of={found}>
        {({ offers }) =>
          offers.length === 0 ? (
            <Empty title="No offers yet. Be the first." />
          ) : (
            <ul className="panel divide-y divide-line">
              {offers.map((offer) => (
                <OfferRow
                  key={offer.id}
                  offer={offer}
                  name={inscription.name}
                  isOwner={isOwner}
                  royalty={royalty}
                />
              ))}
            </ul>
          )
        }
      </Loaded>
    </section>
  )
}

/** Declines all collection and trait offers on an own inscription, or takes them again. */
function DeclineBids({ inscription: { inscriptionId, declinesBids } }: { inscription: Inscription }) {
  const { run, busy } = useAct(inscriptionId)
  const set = (declined: boolean) =>
    run(declined ? 'Declining' : 'Taking them again', async (_, { signed }) => {
      const { walletBindingId } = signed
      await client.call('declineBids', { params: { id: inscriptionId }, body: { walletBindingId, declined } })
      await queries.invalidateQueries()
      return declined
        ? 'Collection offers are declined on it, as long as you hold it.'
        : 'Collection offers can be taken with it again.'
    })
  return (
    <p className="flex flex-wrap items-center gap-3 text-sm text-soft">
      <span className="max-w-prose flex-1 basis-60">
        {declinesBids
          ? 'You decline collection and trait offers on it: none can be filled with it, and none keeps you from listing it.'
          : 'Collection and trait offers count as offers on it, too: you can fill them, and a listing below the best of them is refused.'}
      </span>
      <Button disabled={busy !== null} onClick={() => void set(!declinesBids)}>
        {declinesBids ? 'Take collection offers again' : 'Decline collection offers'}
      </Button>
    </p>
  )
}

interface RowProps {
  offer: Offer
  /** Of the inscription. */
  name: string
  isOwner: boolean
  royalty: Royalty
}

function OfferRow(props: RowProps) {
  const { account } = useSession()
  const { offer, isOwner } = props
  const isCounter = offer.kind === 'seller_counter'
  const isBuyer = account?.ordinalsAddress === offer.buyerAddress
  return (
    <li className="flex flex-wrap items-center gap-3 px-4 py-3 text-sm">
      <Price sats={offer.priceSats} className="w-36 font-medium" />
      <span className="min-w-32 flex-1 text-soft">
        {isCounter ? 'counter to ' : 'by '}
        <span className="font-mono text-xs">{shortAddress(offer.buyerAddress)}</span>
        {isBuyer && ' (you)'}
      </span>
      <span className="text-soft">
        ends <Time at={offer.expiresAt} until />
      </span>
      {isOwner && !isCounter && <OwnerAnswers {...props} />}
      {isBuyer && isCounter && <BuyerAnswers {...props} />}
      {((isBuyer && !isCounter) || (isOwner && isCounter)) && (
        <EndButton offer={offer} id="cancelOffer" label="Cancel" done="The offer is taken back." />
      )}
      {!offer.executable && (isOwner || isBuyer) && <NotNow to={isOwner ? 'owner' : 'maker'} />}
    </li>
  )
}

/** Ends an offer or a counter without a signature. */
function EndButton({
  offer,
  id,
  label,
  done,
}: {
  offer: Offer
  id: 'cancelOffer' | 'rejectOffer' | 'rejectCounterOffer'
  label: string
  done: string
}) {
  const { run, busy } = useAct(offer.id)
  const end = () =>
    run(id === 'cancelOffer' ? 'Taking it back' : 'Declining', async (_, { signed }) => {
      await client.call(id, {
        params: { id: offer.inscriptionId, offerId: offer.id },
        body: { walletBindingId: signed.walletBindingId },
      })
      await queries.invalidateQueries()
      return done
    })
  return (
    <Button disabled={busy !== null} onClick={() => void end()}>
      {label}
    </Button>
  )
}

const COUNTER_STEP_SATS = 1000

/** The owner accepts an offer that pays something after the network fee, answers with a price, or declines. */
function OwnerAnswers({ offer, name, royalty }: RowProps) {
  const { inscriptionId, id: offerId, priceSats, executable } = offer
  const subject = `counter ${offerId}`
  const countering = useTicket(subject)
  const { run, busy: sending } = useAct(subject)
  const { empty } = useOffer(subject, COUNTER_STEP_SATS)
  const { sell, dialog, busy } = useSelling(inscriptionId, royalty)
  const accept = () => sell({ inscriptionId, name }, { offerId, priceSats, collectionSlug: null })
  return (
    <>
      {executable && (
        <Button kind="main" disabled={busy !== null} onClick={() => void accept()}>
          Accept
        </Button>
      )}
      <Button disabled={sending !== null} onClick={() => ticketActions.edit(subject, empty)}>
        Counter
      </Button>
      <EndButton offer={offer} id="rejectOffer" label="Decline" done="The offer is declined." />
      {dialog}
      {countering?.phase === 'editing' && (
        <Sheet open title="Counter this offer" onClose={() => ticketActions.close(subject)}>
          <OfferForm
            subject={subject}
            label={ticket.price}
            submit={ticket.counter}
            stepSats={COUNTER_STEP_SATS}
            leastSats={2000}
            onSubmit={(price) => {
              void run('Making the counter', async (trades, trading) => {
                await trades.counterOffer(trading, { inscriptionId, offerId }, price, royalty.sellerBps)
                return `Counter placed. ${money(price)} for this buyer.`
              })
            }}
          />
        </Sheet>
      )}
    </>
  )
}

/** The buyer accepts a counter, or declines it. */
function BuyerAnswers({ offer, royalty: { buyerBps } }: RowProps) {
  const { inscriptionId, id: offerId, priceSats } = offer
  const { run, busy } = useAct(inscriptionId)
  const accept = () =>
    run('Accepting the counter', async (trades, trading) => {
      const at = { inscriptionId, offerId, priceSats }
      return `Bought in ${await trades.acceptCounterOf(trading, at, buyerBps)}.`
    })
  return (
    <>
      <Button kind="main" disabled={busy !== null} onClick={() => void accept()}>
        Accept
      </Button>
      <EndButton offer={offer} id="rejectCounterOffer" label="Decline" done="The counter is declined." />
    </>
  )
}
