import type { Answer, Input } from '@ordbook/sdk/operations.ts'
import { useRead } from '@ordbook/web-ui/api/client.ts'
import { money, untilDate } from '@ordbook/web-ui/format/format.ts'
import { shareDown, shareUp } from '@ordbook/web-ui/money/difference.ts'
import { bidGuards, coinGuards, collectionGuards } from '@ordbook/web-ui/rules/guards.ts'
import { useSession } from '@ordbook/web-ui/session/session.tsx'
import { useAct } from '@ordbook/web-ui/signing/act.tsx'
import { ticket } from '@ordbook/web-ui/strings/trade.ts'
import type { Reference } from '@ordbook/web-ui/ticket/comparison.tsx'
import { useMoved } from '@ordbook/web-ui/ticket/moved.ts'
import { useBalance } from '@ordbook/web-ui/ticket/quotes/balance.ts'
import { QuoteBill } from '@ordbook/web-ui/ticket/quotes/quote-bill.tsx'
import { type Quoted, useOrderQuote } from '@ordbook/web-ui/ticket/quotes/quotes.ts'
import { roundedChoice } from '@ordbook/web-ui/ticket/references.ts'
import { useVerifiedOne } from '@ordbook/web-ui/ticket/verified-one.ts'
import { Field, Select } from '@ordbook/web-ui/ui/basics.tsx'
import { useState } from 'react'
import { OfferForm, useOffer } from '../forms/offer-form.tsx'
import { TraitSelect } from '../forms/trait-select.tsx'
import { type Trait, targetOf } from '../forms/trait-target.ts'

const STEP_SATS = 5000
const MIN_SATS = 10_000
const COUNTS = [1, 2, 3, 5, 10].map((count) => [count, String(count)] as const)
const STEPS = [5000, 10_000, 25_000, 50_000, 100_000].map((sats) => [sats, money(sats)] as const)

type Collection = Answer<'getCollection'>
type BidQuote = Quoted<Answer<'quoteCollectionOffers'>>

export function NewBid({ collection }: { collection: Collection }) {
  const { slug } = collection
  const subject = `bid ${slug}`
  const { run } = useAct(subject)
  const { account } = useSession()
  const [trait, setTrait] = useState<Trait | null>(null)
  const [count, setCount] = useState(1)
  const [stepSats, setStepSats] = useState(5000)
  const { sats, fields } = useOffer(subject, STEP_SATS)
  const ladder = count > 1 ? { offerCount: count, ladderStepSats: stepSats } : {}
  const lowest = MIN_SATS + (count - 1) * stepSats
  const priceSats = sats !== null && sats >= lowest ? sats : null
  const target = targetOf(trait)
  const walletBindingId = account ? { walletBindingId: account.walletBindingId } : {}
  const inputOf = priceSats
    ? (of: { keepOffers?: boolean }): Input<'quoteCollectionOffers'> => ({
        params: { slug },
        body: { ...walletBindingId, ...of, target, priceSats, ...ladder },
      })
    : null
  const ofTrait = useRead(
    'previewCollectionOfferTarget',
    { params: { slug }, body: { target } },
    { enabled: Boolean(account && trait) },
  )
  const quote = useOrderQuote('quoteCollectionOffers', inputOf, fields.isAnyCoin ?? false)
  const present = quote?.isPending ? undefined : quote?.data
  const exact = present?.exact ? present : null
  const floorSats = trait ? (ofTrait.data?.floorSats ?? null) : collection.floorSats
  const key = JSON.stringify([target, priceSats, ladder, fields.isAnyCoin])
  const { guards, ways } = useBidGuards(trait ? 'trait floor' : 'floor', floorSats, priceSats, quote, key)
  const { compared, choices } = comparedWith(trait !== null, floorSats, collection.topOfferSats)
  return (
    <section className="panel grid content-start gap-3 p-4">
      <h2 className="font-semibold">Make an offer</h2>
      <Field label="For">
        <TraitSelect any={ticket.anyItem} slug={slug} value={trait} onChange={setTrait} />
      </Field>
      <Field label="Number of offers">
        <Select options={COUNTS} value={count} onChange={setCount} />
      </Field>
      {count > 1 && (
        <Field label="Step between offers">
          <Select options={STEPS} value={stepSats} onChange={setStepSats} />
        </Field>
      )}
      <OfferForm
        subject={subject}
        label={ticket.price}
        submit={ticket.reviewOffer}
        stepSats={STEP_SATS}
        leastSats={lowest}
        guards={guards}
        ways={ways}
        choices={choices}
        compared={compared}
        hasCoins={account != null}
        bill={quote && <QuoteBill of={quote} total={ticket.mostYouPay} note={noteOf(quote.data)} />}
        isQuoting={quote?.isPending ?? false}
        reassurance={ticket.coinsAside}
        onSubmit={(offeredSats, hours) =>
          void run('Placing the offer', async (trades, trading) => {
            const about = ticket.bidFor(collection, trait)
            await trades.makeBid(trading, slug, {
              target,
              priceSats: offeredSats,
              count,
              stepSats,
              hours,
              about,
              ...billedOf(exact),
            })
            return `${count === 1 ? 'Offer placed.' : `${count} offers placed. Highest:`} ${money(offeredSats)} for ${about} until ${untilDate(hours)}.`
          })
        }
      />
    </section>
  )
}

/** The bill of an exact quote, and the coins that pay. */
const billedOf = (exact: BidQuote['data'] | null) => ({
  coins: exact?.selectedPaymentUtxos ?? null,
  offersSats: exact?.offers.map((offer) => offer.totalBuyerCostSats),
  quote: exact ?? undefined,
})

/** Returns reference prices and prices to choose with a click. */
function comparedWith(isTrait: boolean, floorSats: number | null, topSats: number | null) {
  const floor = isTrait ? ticket.traitFloor : ticket.floor
  const compared: Reference[] = [
    { label: floor, sats: floorSats },
    { label: ticket.topOffer, sats: topSats },
  ]
  const choices: Reference[] = [
    roundedChoice({ label: ticket.topOffer, sats: topSats }, (sats) => shareUp(sats, 101, STEP_SATS)),
    roundedChoice({ label: floor, sats: floorSats }, (sats) => shareDown(sats, 100, STEP_SATS)),
  ]
  return { compared, choices }
}

const noteOf = (quote: BidQuote['data']) =>
  quote?.offers.some((offer) => offer.sharesCoinsWith.length > 0) ? ticket.endTogether : ticket.nothingNow

function useBidGuards(
  of: 'floor' | 'trait floor',
  floorSats: number | null,
  priceSats: number | null,
  quote: BidQuote | null,
  key: string,
) {
  const data = quote?.data
  const balanceSats = useBalance()
  const present = quote?.isPending ? undefined : data
  const moved = useMoved(key, priceSats ? present?.totalSats : undefined, 'buyer')
  const verified = useVerifiedOne(data?.collection.sameNameAs?.slug)
  const ways = { 'new-total': moved.accept, 'verified-one': verified }
  if (!priceSats) return { guards: [], ways }
  const guards = [
    ...moved.guards,
    ...bidGuards({
      of,
      priceSats,
      floorSats,
      balanceSats: data?.availableSats ?? balanceSats,
    }),
    ...coinGuards(present?.sharesCoinWith ?? []),
    ...(data ? collectionGuards(data.collection) : []),
  ]
  return { guards, ways }
}
