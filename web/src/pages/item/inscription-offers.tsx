import type { Answer } from '@ordbook/sdk/operations.ts'
import { client, queries, useRead } from '@ordbook/web-ui/api/client.ts'
import { shortAddress } from '@ordbook/web-ui/format/format.ts'
import { useSession } from '@ordbook/web-ui/session/session.tsx'
import { useAct } from '@ordbook/web-ui/signing/act.tsx'
import { ticketActions } from '@ordbook/web-ui/ticket/progress/tickets.ts'
import { saleOf } from '@ordbook/web-ui/ticket/sale.ts'
import { Button, Empty, Loaded, Price, Time } from '@ordbook/web-ui/ui/basics.tsx'
import { onDemand } from '@ordbook/web-ui/ui/on-demand.tsx'
import { NotNow } from '../parts/not-now.tsx'
import { inscription as words } from './strings.ts'
import type { Inscription } from './traded.ts'
import { useItemTurn } from './use-item-turn.ts'

const CounterButton = onDemand(() => import('./counter-ticket.tsx').then((part) => part.CounterButton))
const CounterAnswer = onDemand(() => import('./counter-ticket.tsx').then((part) => part.CounterAnswer))

type Offer = Answer<'listInscriptionOffers'>['offers'][number]

export function InscriptionOffers({ inscription }: { inscription: Inscription }) {
  const { account } = useSession()
  const { inscriptionId, owner } = inscription
  const [collection] = inscription.collections
  const found = useRead(
    'listInscriptionOffers',
    { params: { id: inscriptionId } },
    { enabled: owner !== null },
  )
  const turn = useItemTurn(inscriptionId)
  if (!owner || !collection) return null
  const isOwner = account?.ordinalsAddress === owner
  return (
    <section className="grid gap-3">
      {isOwner && <DeclineBids inscription={inscription} />}
      <Loaded of={found}>
        {({ offers }) =>
          offers.length === 0 ? (
            <Empty title={words.noOffers} />
          ) : (
            <ul className="panel divide-y divide-line">
              {offers.map((offer) => (
                <OfferRow
                  key={offer.id}
                  offer={offer}
                  isOwner={isOwner}
                  isLeading={offer.id === turn?.orderId}
                />
              ))}
            </ul>
          )
        }
      </Loaded>
    </section>
  )
}

/** Turns collection and trait offers on an inscription off or on. */
function DeclineBids({ inscription: { inscriptionId, declinesBids } }: { inscription: Inscription }) {
  const { run, busy } = useAct(inscriptionId)
  const set = (declined: boolean) =>
    run(
      declined ? 'Turning off collection offers' : 'Turning on collection offers',
      async (_, { signed }) => {
        const { walletBindingId } = signed
        await client.call('declineBids', {
          params: { id: inscriptionId },
          body: { walletBindingId, declined },
        })
        await queries.invalidateQueries()
        return declined
          ? 'Collection offers on this item are off while you hold it.'
          : 'Collection offers on this item are on again.'
      },
    )
  return (
    <p className="flex flex-wrap items-center gap-3 text-sm text-soft">
      <span className="max-w-prose flex-1 basis-60">
        {declinesBids
          ? 'Collection and trait offers are off for this item. You cannot accept them, and they do not limit your listing price.'
          : 'Collection and trait offers apply to this item. You can accept them, and the market rejects a listing below the best of them.'}
      </span>
      <Button disabled={busy !== null} onClick={() => void set(!declinesBids)}>
        {declinesBids ? 'Turn on collection offers' : 'Turn off collection offers'}
      </Button>
    </p>
  )
}

interface RowProps {
  offer: Offer
  isOwner: boolean
  /** The panel of the item leads with this offer and its answers. */
  isLeading: boolean
}

function OfferRow({ offer, isOwner, isLeading }: RowProps) {
  const { account } = useSession()
  const isCounter = offer.kind === 'seller_counter'
  const isBuyer = account?.ordinalsAddress === offer.buyerAddress
  return (
    <li className="flex flex-wrap items-center gap-3 px-4 py-3 text-sm">
      <Price sats={offer.priceSats} className="w-36 font-medium" />
      <span className="min-w-32 flex-1 text-soft">
        {isCounter ? 'counter-offer to ' : 'by '}
        <span className="font-mono text-xs">{shortAddress(offer.buyerAddress)}</span>
        {isBuyer && ' (you)'}
      </span>
      <span className="text-soft">
        ends <Time at={offer.expiresAt} until />
      </span>
      {((isOwner && !isCounter) || (isBuyer && isCounter)) && !isLeading && <OfferAnswers offer={offer} />}
      {((isBuyer && !isCounter) || (isOwner && isCounter)) && (
        <EndButton offer={offer} id="cancelOffer" label="Cancel" done="Offer cancelled." />
      )}
      {!offer.executable && (isOwner || isBuyer) && !isLeading && <NotNow to={isOwner ? 'owner' : 'maker'} />}
    </li>
  )
}

/** Button that cancels or declines an offer. */
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
    run(id === 'cancelOffer' ? 'Cancelling' : 'Declining', async (_, { signed }) => {
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

/** Answers of the side whose turn it is. */
export const OfferAnswers = ({ offer }: { offer: Offer }) =>
  offer.kind === 'seller_counter' ? <BuyerAnswers offer={offer} /> : <OwnerAnswers offer={offer} />

/** Accept, counter or decline. Accept is hidden if the network fee exceeds the payout. */
function OwnerAnswers({ offer }: { offer: Offer }) {
  const { inscriptionId, id: offerId, priceSats, executable } = offer
  const { busy } = useAct(saleOf(inscriptionId))
  const accept = () => ticketActions.edit(saleOf(inscriptionId), { offerId, priceSats, collectionSlug: null })
  return (
    <>
      {executable && (
        <Button kind="sell" disabled={busy !== null} onClick={accept}>
          Accept
        </Button>
      )}
      <CounterButton at={{ inscriptionId, offerId, priceSats }} />
      <EndButton offer={offer} id="rejectOffer" label="Decline" done="Offer declined." />
    </>
  )
}

function BuyerAnswers({ offer }: { offer: Offer }) {
  const { inscriptionId, id: offerId, priceSats } = offer
  return (
    <>
      <CounterAnswer at={{ inscriptionId, offerId, priceSats }} />
      <EndButton offer={offer} id="rejectCounterOffer" label="Decline" done="Counter-offer declined." />
    </>
  )
}
