import type { Answer } from '@ordbook/sdk/operations.ts'
import { useRead } from '@ordbook/web-ui/api/client.ts'
import { money } from '@ordbook/web-ui/format/format.ts'
import { shareDown } from '@ordbook/web-ui/money/difference.ts'
import { counterGuards } from '@ordbook/web-ui/rules/guards.ts'
import { useSession } from '@ordbook/web-ui/session/session.tsx'
import { useAct } from '@ordbook/web-ui/signing/act.tsx'
import { ticket } from '@ordbook/web-ui/strings/trade.ts'
import { Comparison } from '@ordbook/web-ui/ticket/comparison.tsx'
import { GuardList } from '@ordbook/web-ui/ticket/guard-list.tsx'
import { useGuarded } from '@ordbook/web-ui/ticket/guarded.ts'
import { useMoved } from '@ordbook/web-ui/ticket/moved.ts'
import { Failure } from '@ordbook/web-ui/ticket/progress/failure.tsx'
import { ticketActions, useTicket } from '@ordbook/web-ui/ticket/progress/tickets.ts'
import { shownOf } from '@ordbook/web-ui/ticket/quotes/purchase-quote.ts'
import { QuoteBill } from '@ordbook/web-ui/ticket/quotes/quote-bill.tsx'
import { NOT_YET, useQuotes } from '@ordbook/web-ui/ticket/quotes/quotes.ts'
import { factsOf, referencesOf, roundedChoice } from '@ordbook/web-ui/ticket/references.ts'
import { Button, Price } from '@ordbook/web-ui/ui/basics.tsx'
import { Sheet } from '@ordbook/web-ui/ui/sheet.tsx'
import type { ReactNode } from 'react'
import { OfferForm, useOffer } from '../forms/offer-form.tsx'
import { TicketSubject } from '../parts/ticket-subject.tsx'
import { counter as words } from './counter-strings.ts'

const STEP_SATS = 1000
/** Minimum difference between counter-offer and offer. */
const MIN_MORE_SATS = 1000

interface ActiveOffer {
  inscriptionId: string
  /** Id of the offer to counter, or of the counter-offer to accept. */
  offerId: string
  priceSats: number
}

export function CounterButton({ at }: { at: ActiveOffer }) {
  const subject = `counter ${at.offerId}`
  const open = useTicket(subject)
  const { busy } = useAct(subject)
  const { empty } = useOffer(subject, STEP_SATS)
  return (
    <>
      <Button disabled={busy !== null} onClick={() => ticketActions.edit(subject, empty)}>
        {words.counter}
      </Button>
      {open?.phase === 'editing' && (
        <Sheet open title={words.title} onClose={() => ticketActions.close(subject)}>
          <CounterTicket subject={subject} at={at} />
        </Sheet>
      )}
    </>
  )
}

function CounterTicket({
  subject,
  at: { inscriptionId, offerId, priceSats: offeredSats },
}: {
  subject: string
  at: ActiveOffer
}) {
  const { run } = useAct(subject)
  const leastSats = offeredSats + MIN_MORE_SATS
  const { quote, guards, acceptTotal } = useCounter(subject, { inscriptionId, offerId, leastSats })
  const { data } = quote
  const facts = factsOf(data, inscriptionId)
  const royaltyBps = data?.sellerCreatorRoyaltyBps ?? 0
  const send = (priceSats: number) =>
    run(words.running, async (trades, trading) => {
      await trades.counterOffer(trading, { inscriptionId, offerId, quote: data }, priceSats, royaltyBps)
      return words.done(money(priceSats))
    })
  return (
    <div className="grid gap-4">
      <Subject id={inscriptionId}>
        <p className="text-small text-soft">
          {words.theirOffer} <Price sats={offeredSats} className="text-ink" />
        </p>
      </Subject>
      <OfferForm
        subject={subject}
        label={ticket.price}
        submit={ticket.counter}
        stepSats={STEP_SATS}
        leastSats={leastSats}
        hint={words.hint}
        guards={guards}
        ways={{ 'new-total': acceptTotal }}
        choices={[
          roundedChoice({ label: ticket.floor, sats: data?.collection.floorSats ?? null }, inSteps),
          roundedChoice({ label: ticket.traitFloor, sats: facts?.traitFloor?.floorSats ?? null }, inSteps),
        ]}
        compared={referencesOf(data, inscriptionId)}
        bill={
          <>
            <QuoteBill of={{ ...quote, data: data && billOf(data) }} total={ticket.youReceive} keepsPlace />
            {data && (
              <p className="text-small text-soft">{words.postageBack(data.inscriptionUtxoValueSats)}</p>
            )}
          </>
        }
        isQuoting={quote.isPending}
        onSubmit={(priceSats) => void send(priceSats)}
      />
    </div>
  )
}

/** The item, which the page has loaded. */
function Subject({ id, children }: { id: string; children: ReactNode }) {
  const { data } = useRead('getInscription', { params: { id } })
  if (!data) return children
  const [collection] = data.collections
  return (
    <TicketSubject item={data} collection={collection && { ...collection, collectionName: collection.name }}>
      {children}
    </TicketSubject>
  )
}

const inSteps = (sats: number) => shareDown(sats, 100, STEP_SATS)

/** The postage is shown on a separate line. */
const billOf = ({ bill, totalSats }: Answer<'quoteCounter'>) => ({ bill, totalSats })

/** Returns quote and guards of a counter-offer. */
function useCounter(
  subject: string,
  { inscriptionId: id, offerId, leastSats }: { inscriptionId: string; offerId: string; leastSats: number },
) {
  const { account } = useSession()
  const { sats } = useOffer(subject, STEP_SATS)
  const priceSats = sats !== null && sats >= leastSats ? sats : null
  // Quote the minimum to get reference prices before a price is typed.
  const body = { walletBindingId: account?.walletBindingId ?? '', priceSats: priceSats ?? leastSats }
  const [quote = NOT_YET] = useQuotes('quoteCounter', [{ params: { id, offerId }, body }])
  const { data } = quote
  const present = quote.isPending || priceSats === null ? undefined : data
  const moved = useMoved(`${priceSats}`, present?.totalSats, 'seller')
  const facts = factsOf(data, id)
  const guards =
    priceSats && present
      ? [
          ...moved.guards,
          ...counterGuards({
            priceSats,
            receiveSats: present.totalSats,
            floorSats: present.collection.floorSats,
            traitFloorSats: facts?.traitFloor?.floorSats ?? null,
            lastSaleSats: facts?.lastSaleSats ?? null,
            bestBid: facts?.bestBid ?? null,
          }),
        ]
      : []
  return { quote, guards, acceptTotal: moved.accept }
}

export function CounterAnswer({ at }: { at: ActiveOffer }) {
  const subject = `accept ${at.offerId}`
  const open = useTicket(subject)
  const { busy } = useAct(subject)
  return (
    <>
      <Button
        kind="main"
        disabled={busy !== null}
        onClick={() => ticketActions.edit(subject, { offerId: at.offerId })}
      >
        {words.accept}
      </Button>
      {open?.phase === 'editing' && (
        <Sheet open title={words.acceptTitle} onClose={() => ticketActions.close(subject)}>
          <AnswerTicket subject={subject} at={at} />
        </Sheet>
      )}
    </>
  )
}

function AnswerTicket({ subject, at }: { subject: string; at: ActiveOffer }) {
  const { account } = useSession()
  const { run, busy } = useAct(subject)
  const { inscriptionId: id, offerId, priceSats } = at
  const quote = useRead(
    'quoteCounterAcceptance',
    { params: { id, offerId }, body: { walletBindingId: account?.walletBindingId ?? '' } },
    { enabled: Boolean(account), refetchInterval: 60_000 },
  )
  const shown = shownOf(quote.data)
  const moved = useMoved(offerId, shown.quote?.totalSats, 'buyer')
  const guarded = useGuarded(words.buyFor(priceSats), moved.guards, offerId)
  const royaltyBps = quote.data?.buyerCreatorRoyaltyBps ?? 0
  const accept = () =>
    run(words.accepting, async (trades, trading) =>
      words.bought(await trades.acceptCounterOf(trading, { ...at, ...shown }, royaltyBps)),
    )
  return (
    <div className="grid gap-4">
      <Subject id={id}>
        <Price sats={priceSats} className="text-h2" />
      </Subject>
      {quote.data && <Comparison sats={priceSats} of={referencesOf(quote.data, id)} />}
      <GuardList guards={moved.guards} ways={{ 'new-total': moved.accept }} />
      <QuoteBill of={quote} total={ticket.youPay} keepsPlace />
      <Button
        kind="main"
        large
        disabled={busy !== null || !quote.data || guarded.isStopped}
        onClick={() => guarded.press(() => void accept())}
      >
        {guarded.label}
      </Button>
      <Failure subject={subject} />
      <p className="text-small text-soft">{words.once}</p>
    </div>
  )
}
