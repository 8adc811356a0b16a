import { money, untilDate } from '@ordbook/web-ui/format/format.ts'
import { difference, shareDown, shareUp } from '@ordbook/web-ui/money/difference.ts'
import {
  coinGuards,
  collectionGuards,
  feeGuards,
  inLineGuards,
  offerGuards,
} from '@ordbook/web-ui/rules/guards.ts'
import { useSession } from '@ordbook/web-ui/session/session.tsx'
import { useAct } from '@ordbook/web-ui/signing/act.tsx'
import { ticket } from '@ordbook/web-ui/strings/trade.ts'
import type { Reference } from '@ordbook/web-ui/ticket/comparison.tsx'
import { useMoved } from '@ordbook/web-ui/ticket/moved.ts'
import { useBalance } from '@ordbook/web-ui/ticket/quotes/balance.ts'
import { shownOf } from '@ordbook/web-ui/ticket/quotes/purchase-quote.ts'
import { QuoteBill } from '@ordbook/web-ui/ticket/quotes/quote-bill.tsx'
import { useOrderQuote } from '@ordbook/web-ui/ticket/quotes/quotes.ts'
import { bestBidOf, factsOf, referencesOf, roundedChoice } from '@ordbook/web-ui/ticket/references.ts'
import { useVerifiedOne } from '@ordbook/web-ui/ticket/verified-one.ts'
import { OfferForm, useOffer } from '../forms/offer-form.tsx'
import type { Inscription, Membership, Royalty } from './traded.ts'

const STEP_SATS = 1000
const MIN_SATS = 2000

export interface OfferTicketProps {
  inscription: Inscription
  collection: Membership
  royalty: Royalty
  listingSats: number | null
  buy: () => void
  subject: string
  close: () => void
}

/** Returns quote and guards of an offer. */
function useOfferTicket({ inscription, collection, listingSats, subject }: OfferTicketProps) {
  const { inscriptionId } = inscription
  const { slug, floorSats } = collection
  const { account } = useSession()
  const { sats, fields } = useOffer(subject, STEP_SATS)
  const balanceSats = useBalance()
  const priceSats = sats !== null && sats >= MIN_SATS ? sats : null
  // Quote the minimum to get reference prices before a price is typed.
  const quote = useOrderQuote(
    'quoteOffers',
    (of) => ({
      params: { slug },
      body: {
        ...(account ? { walletBindingId: account.walletBindingId } : {}),
        ...of,
        inscriptionIds: [inscriptionId],
        priceSats: priceSats ?? MIN_SATS,
      },
    }),
    fields.isAnyCoin ?? false,
  )!
  const { data } = quote
  const present = quote.isPending ? undefined : data
  const key = `${priceSats} ${fields.isAnyCoin}`
  const moved = useMoved(key, priceSats ? present?.totalSats : undefined, 'buyer')
  const facts = factsOf(data, inscriptionId)
  const guards = priceSats
    ? [
        ...moved.guards,
        ...offerGuards({
          priceSats,
          listingSats,
          floorSats: data?.collection.floorSats ?? floorSats,
          balanceSats: data?.availableSats ?? balanceSats,
        }),
        ...coinGuards(present?.sharesCoinWith ?? []),
        ...(data ? collectionGuards(data.collection) : []),
        ...feeGuards(priceSats, present?.items[0]?.estimatedNetworkFeeSats ?? 0),
        ...inLineGuards(priceSats, facts?.traitSales ?? null, facts?.traitFloor?.value ?? null),
      ]
    : []
  return { quote, present, facts, guards, acceptTotal: moved.accept, account }
}

/** A price 10% lower, rounded down to the step. The label says by how much it is lower. */
function lessThan(listingSats: number | null): Reference {
  const sats = listingSats && shareDown(listingSats, 90, STEP_SATS)
  return { label: ticket.listLess(sats ? difference(sats, listingSats!) : ''), sats }
}

export function OfferTicket(props: OfferTicketProps) {
  const { inscription, collection, royalty, listingSats, buy, subject, close } = props
  const { inscriptionId, name } = inscription
  const { run } = useAct(subject)
  const { quote, present, facts, guards, acceptTotal, account } = useOfferTicket(props)
  const { data } = quote
  const verified = useVerifiedOne(data?.collection.sameNameAs?.slug)
  const down = (sats: number) => shareDown(sats, 100, STEP_SATS)
  const choices: Reference[] = [
    roundedChoice(bestBidOf(data, inscriptionId), (sats) => shareUp(sats, 101, STEP_SATS)),
    roundedChoice({ label: ticket.floor, sats: data?.collection.floorSats ?? null }, down),
    roundedChoice({ label: ticket.traitFloor, sats: facts?.traitFloor?.floorSats ?? null }, down),
    lessThan(listingSats),
  ]
  const buyInstead = () => {
    close()
    buy()
  }
  return (
    <OfferForm
      subject={subject}
      label={ticket.yourOffer}
      submit={ticket.reviewOffer}
      stepSats={STEP_SATS}
      leastSats={MIN_SATS}
      guards={guards}
      ways={{ 'buy-now': buyInstead, 'new-total': acceptTotal, 'verified-one': verified }}
      choices={choices}
      compared={referencesOf(data, inscriptionId)}
      hasCoins={account != null}
      bill={<QuoteBill of={quote} total={ticket.mostYouPay} note={ticket.nothingNow} />}
      isQuoting={quote.isPending}
      reassurance={ticket.coinsStay}
      onSubmit={(offeredSats, hours) => {
        void run('Placing the offer', async (trades, trading) => {
          await trades.makeOffer(trading, collection.slug, inscriptionId, {
            priceSats: offeredSats,
            hours,
            royaltyBps: royalty.buyerBps,
            coins: present?.exact ? present.selectedPaymentUtxos : null,
            ...shownOf(present),
          })
          return `Offer placed. ${money(offeredSats)} on ${name} until ${untilDate(hours)}.`
        })
      }}
    />
  )
}
