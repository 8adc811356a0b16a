import { useRead } from '@ordbook/web-ui/api/client.ts'
import { money, shortAddress } from '@ordbook/web-ui/format/format.ts'
import { Link } from '@ordbook/web-ui/routing/routing.tsx'
import { useIsPhone } from '@ordbook/web-ui/state/use-media.ts'
import { inbox, turn as words } from '@ordbook/web-ui/strings/inbox/inbox.ts'
import { BUTTON, KINDS, Price } from '@ordbook/web-ui/ui/basics.tsx'
import { NotNow } from '../parts/not-now.tsx'
import { TRADE_BAR } from '../parts/trade-bar.ts'
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
  const { orderId, priceSats, offeredSats, otherCount } = turn
  const kind = turn.kind === 'offer' ? 'offer' : 'counter'
  const isPhone = useIsPhone()
  const found = useRead('listInscriptionOffers', { params: { id: inscriptionId } })
  const offer = found.data?.offers.find(({ id }) => id === orderId)
  return (
    <>
      <p className="grid">
        <span className="text-small text-soft">{words.about[kind]}</span>
        <Price sats={priceSats} className="text-[32px] leading-tight font-semibold" />
        <span className="text-small text-soft">
          {kind === 'offer' && offer && `${words.by(shortAddress(offer.buyerAddress))} `}
          {offeredSats !== null && words.offered(money(offeredSats))}
          {otherCount > 0 && words.highestOf(otherCount + 1)}
        </span>
      </p>
      <p className="text-small text-soft">{words.ifNothing[kind]}</p>
      {offer && (
        <div
          data-trade-bar={isPhone || undefined}
          className={
            isPhone ? `${TRADE_BAR} !flex flex-row-reverse *:min-h-13 *:flex-1` : 'flex flex-wrap gap-2'
          }
        >
          <OfferAnswers offer={offer} />
          {!offer.executable && <NotNow to={kind === 'offer' ? 'owner' : 'maker'} />}
        </div>
      )}
    </>
  )
}
