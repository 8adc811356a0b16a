import type { Answer } from '@ordbook/sdk/operations.ts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useAct } from '../act.tsx'
import { queries, useRead } from '../client.ts'
import { money, untilDate } from '../format.ts'
import { bidGuards, type Guard } from '../guards.ts'
import { useSession } from '../session.tsx'
import { type BidWish, coinsForBid } from '../signing/coins-for-bid.ts'
import { useBalance } from '../ticket/balance.ts'
import { Badge, Button, Empty, Field, Loaded, Price, Select, Time } from '../ui/basics.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { ticket } from '../words/trade.ts'
import { HoldingPicture } from './holdings.tsx'
import { NotNow } from './not-now.tsx'
import { OfferForm, useOffer } from './offer-form.tsx'
import { useSelling } from './selling.tsx'
import { type Trait, TraitSelect, targetOf } from './trait-select.tsx'

type Collection = Answer<'getCollection'>
type Bid = Answer<'listCollectionOfferBook'>['rows'][number]

const targetText = (target: Bid['target']) =>
  target.kind === 'all'
    ? 'Any item'
    : target.traits.map(({ type, values }) => `${type}: ${values.join(' or ')}`).join(', ')

/** Offers on any item of a collection or a trait: the book, the visitor's own offers, and a form for another. */
export function Bids({ collection }: { collection: Collection }) {
  const { slug } = collection
  const { account } = useSession()
  const book = useRead('listCollectionOfferBook', { params: { slug } })
  const own = useRead('listMySentCollectionOffers', { params: { slug } }, { enabled: Boolean(account) })
  const [selling, setSelling] = useState<Bid | null>(null)
  const { run, busy } = useAct(`bids of ${slug}`)
  const cancel = (offerId: string) =>
    run('Taking the offer back', async (_, { signed }) => {
      const { client } = await import('../client.ts')
      await client.call('cancelCollectionWideOffer', {
        params: { slug, offerId },
        body: { walletBindingId: signed.walletBindingId },
      })
      await queries.invalidateQueries()
      return 'The offer is taken back.'
    })
  const mine = new Set(account ? (own.data?.rows ?? []).map((each) => each.id) : [])
  return (
    <div className="grid gap-6 lg:grid-cols-[1fr_20rem]">
      <section className="grid content-start gap-3">
        <h2 className="text-lg font-semibold">Offers, best first</h2>
        <Loaded of={book}>
          {({ rows: offers }) =>
            offers.length === 0 ? (
              <Empty title="No offers yet. Be the first.">
                The owner of any eligible item can take an offer at once.
              </Empty>
            ) : (
              <ul className="panel divide-y divide-line">
                {offers.map((offer) => (
                  <li key={offer.id} className="flex flex-wrap items-center gap-3 px-4 py-3 text-sm">
                    <Price sats={offer.priceSats} className="w-36 font-medium" />
                    <span className="min-w-32 flex-1">{targetText(offer.target)}</span>
                    <span className="text-soft">
                      ends <Time at={offer.expiresAt} until />
                    </span>
                    {mine.has(offer.id) ? (
                      <>
                        <Badge tone="good">yours</Badge>
                        <Button disabled={busy !== null} onClick={() => void cancel(offer.id)}>
                          Cancel
                        </Button>
                      </>
                    ) : (
                      offer.executable && <Button onClick={() => setSelling(offer)}>Sell now</Button>
                    )}
                    {!offer.executable &&
                      (mine.has(offer.id) ? (
                        <NotNow to="maker" />
                      ) : (
                        <Badge>Not counted at today’s network fee</Badge>
                      ))}
                  </li>
                ))}
              </ul>
            )
          }
        </Loaded>
      </section>
      <NewBid collection={collection} />
      {selling && <SellDialog collection={collection} offer={selling} onClose={() => setSelling(null)} />}
    </div>
  )
}

const BID_STEP_SATS = 5000
const LEAST_BID_SATS = 10_000
const COUNTS = [1, 2, 3, 5, 10].map((count) => [count, String(count)] as const)
const STEPS = [5000, 10_000, 25_000, 50_000, 100_000].map((sats) => [sats, money(sats)] as const)

function NewBid({ collection }: { collection: Collection }) {
  const { slug } = collection
  const subject = `bid ${slug}`
  const { run } = useAct(subject)
  const [trait, setTrait] = useState<Trait | null>(null)
  const [count, setCount] = useState(1)
  const [stepSats, setStepSats] = useState(5000)
  const { account } = useSession()
  const ofTrait = useRead(
    'previewCollectionOfferTarget',
    { params: { slug }, body: { target: targetOf(trait) } },
    { enabled: Boolean(account && trait) },
  )
  const floorSats = trait ? (ofTrait.data?.floorSats ?? null) : collection.floorSats
  const { sats: typedSats } = useOffer(subject, BID_STEP_SATS)
  const guards = useBidGuards(
    slug,
    typedSats === null ? null : { target: targetOf(trait), priceSats: typedSats, count, stepSats },
    floorSats,
  )
  return (
    <section className="panel grid content-start gap-3 p-4">
      <h2 className="font-semibold">Make an offer</h2>
      <Field label="For">
        <TraitSelect
          any={`Any item of ${collection.name}`}
          slug={collection.slug}
          value={trait}
          onChange={setTrait}
        />
      </Field>
      <Field label="Offers at once">
        <Select options={COUNTS} value={count} onChange={setCount} />
      </Field>
      {count > 1 && (
        <Field label="Each lower by">
          <Select options={STEPS} value={stepSats} onChange={setStepSats} />
        </Field>
      )}
      <OfferForm
        subject={subject}
        label={ticket.price}
        submit={ticket.reviewOffer}
        stepSats={BID_STEP_SATS}
        leastSats={LEAST_BID_SATS}
        guards={guards}
        onSubmit={(priceSats, hours) =>
          void run('Making the offer', async (trades, trading) => {
            const about = trait ? `${collection.name}, ${trait.type}: ${trait.value}` : collection.name
            await trades.makeBid(trading, collection.slug, {
              target: targetOf(trait),
              priceSats,
              count,
              stepSats,
              hours,
              about,
            })
            return `${count === 1 ? 'Offer placed.' : `${count} offers placed, the first:`} ${money(priceSats)} for ${about} until ${untilDate(hours)}.`
          })
        }
      />
    </section>
  )
}

/** The guards of an offer for a collection or a trait, as soon as they are known. */
function useBidGuards(slug: string, wish: BidWish | null, floorSats: number | null): readonly Guard[] {
  const { account } = useSession()
  const balanceSats = useBalance()
  const walletBindingId = account?.walletBindingId ?? ''
  const backed = useQuery({
    queryKey: ['previewCollectionOfferReplacementWarning', slug, walletBindingId, wish],
    queryFn: () => coinsForBid(walletBindingId, slug, wish as BidWish),
    enabled: Boolean(account && wish && wish.priceSats >= LEAST_BID_SATS),
    retry: false,
  })
  if (!wish) return []
  return bidGuards({
    priceSats: wish.priceSats,
    floorSats,
    balanceSats,
    replaced: backed.data?.replaced ?? 0,
  })
}

function SellDialog({
  collection,
  offer,
  onClose,
}: {
  collection: Collection
  offer: Bid
  onClose: () => void
}) {
  const { account, choose } = useSession()
  const { slug } = collection
  const held = useRead(
    'listHoldings',
    { params: { address: account?.ordinalsAddress ?? '' }, query: { slug } },
    { enabled: Boolean(account) },
  )
  const royalty = { sellerBps: collection.sellerRoyaltyBps, buyerBps: collection.buyerRoyaltyBps }
  const { sell, dialog, busy } = useSelling(`sell into ${slug}`, royalty, onClose)
  const { id: offerId, priceSats } = offer
  const fits = (traits: readonly { type: string; value: string }[]) =>
    offer.target.kind === 'all' ||
    offer.target.traits.every((group) =>
      traits.some((each) => each.type === group.type && group.values.includes(each.value)),
    )
  if (dialog) return dialog
  return (
    <Sheet open title="Sell now" onClose={onClose}>
      <p className="mb-4">
        <Price sats={offer.priceSats} className="font-semibold" /> for{' '}
        {targetText(offer.target).toLowerCase()}
      </p>
      {!account ? (
        <Button kind="main" onClick={() => choose(true)}>
          Connect wallet
        </Button>
      ) : (
        <Loaded of={held}>
          {({ holdings }) => {
            const mine = holdings.filter((each) => fits(each.traits))
            if (mine.length === 0) return <Empty title="You hold none that it takes" />
            return (
              <ul className="grid gap-2">
                {mine.map((each) => (
                  <HeldItem
                    key={each.inscriptionId}
                    item={each}
                    isBusy={busy !== null}
                    onSell={() => void sell(each, { offerId, priceSats, collectionSlug: slug })}
                  />
                ))}
              </ul>
            )
          }}
        </Loaded>
      )}
    </Sheet>
  )
}

type Held = Answer<'listHoldings'>['holdings'][number]

function HeldItem({ item, isBusy, onSell }: { item: Held; isBusy: boolean; onSell: () => void }) {
  return (
    <li className="flex items-center gap-3">
      <span className="w-12 overflow-hidden rounded">
        <HoldingPicture of={item} />
      </span>
      <span className="flex-1 text-sm">{item.name}</span>
      <Button kind="main" disabled={isBusy} onClick={onSell}>
        Sell<span className="sr-only"> {item.name}</span>
      </Button>
    </li>
  )
}
