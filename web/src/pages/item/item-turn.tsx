import { useRead } from '@ordbook/web-ui/api/client.ts'
import { money, shortAddress } from '@ordbook/web-ui/format/format.ts'
import { Link } from '@ordbook/web-ui/routing/routing.tsx'
import { inbox, turn as words } from '@ordbook/web-ui/strings/inbox.ts'
import { BUTTON, KINDS, Price } from '@ordbook/web-ui/ui/basics.tsx'
import { TurnLine } from '../parts/turn-line.tsx'
import { OfferAnswers } from './inscription-offers.tsx'
import type { Waiting } from './use-item-turn.ts'

/** The task that waits for the session, which leads the item's panel. */
export function ItemTurn({ turn, inscriptionId }: { turn: Waiting; inscriptionId: string }) {
  const { kind, expiresAt, proposalId } = turn
  return (
    <div className="grid gap-3 border-b border-line pb-4">
      <TurnLine
        tone={kind === 'escrow' ? 'stuck' : 'turn'}
        until={expiresAt}
        note={expiresAt ? undefined : inbox.noDeadline}
      >
        {words.title[kind]}
      </TurnLine>
      {kind === 'escrow' && <p className="text-small text-soft">{words.escrow}</p>}
      {kind === 'acceptance' && (
        <>
          <p className="text-small text-soft">{words.acceptance}</p>
          <Link
            to="/trades/$id"
            params={{ id: proposalId ?? '' }}
            className={`${BUTTON} ${KINDS.main} min-h-13 text-[16px]`}
          >
            {words.toTrade}
          </Link>
        </>
      )}
      {(kind === 'offer' || kind === 'counter') && <OfferTurn turn={turn} inscriptionId={inscriptionId} />}
    </div>
  )
}

function OfferTurn({ turn, inscriptionId }: { turn: Waiting; inscriptionId: string }) {
  const { kind, orderId, priceSats, offeredSats, otherCount } = turn
  const found = useRead('listInscriptionOffers', { params: { id: inscriptionId } })
  const offer = found.data?.offers.find(({ id }) => id === orderId)
  return (
    <>
      <p className="grid">
        <span className="text-small text-soft">{words.about[kind === 'offer' ? 'offer' : 'counter']}</span>
        <Price sats={priceSats} className="text-[32px] leading-tight font-semibold" />
        <span className="text-small text-soft">
          {kind === 'offer' && offer && `${words.by(shortAddress(offer.buyerAddress))} `}
          {offeredSats !== null && words.offered(money(offeredSats))}
          {otherCount > 0 && words.highestOf(otherCount + 1)}
        </span>
      </p>
      {offer && (
        <div className="flex flex-wrap gap-2">
          <OfferAnswers offer={offer} />
        </div>
      )}
    </>
  )
}
