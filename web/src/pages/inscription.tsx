import type { Answer } from '@ordbook/sdk/operations.ts'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useAct } from '../act.tsx'
import { useCart } from '../cart.tsx'
import { client, queries, useRead } from '../client.ts'
import { count, fullTime, shortAddress, title } from '../format.ts'
import { useSession } from '../session.tsx'
import { Badge, Button, Dialog, Empty, Loaded, Price, Time } from '../ui/basics.tsx'
import { Media } from '../ui/media.tsx'
import { ActivityList } from './activity-list.tsx'
import { Verified } from './home.tsx'
import { ListForm } from './list-form.tsx'
import { OfferForm } from './offer-form.tsx'

type Inscription = Answer<'getInscription'>
type Offer = Answer<'listInscriptionOffers'>['offers'][number]

/** An inscription: what it is, where it came from, what it can be had for. */
export default function InscriptionPage() {
  const { id } = useParams({ from: '/inscription/$id' })
  const found = useRead('getInscription', { params: { id } })
  return (
    <Loaded of={found} what="Loading the inscription">
      {(inscription) => (
        <div className="grid gap-8">
          <div className="grid gap-8 lg:grid-cols-2">
            <div className="panel self-start overflow-hidden">
              <Media
                key={id}
                id={id}
                contentType={inscription.contentType}
                name={inscription.name}
                hint={inscription.collections[0]?.imageRenderingHint ?? null}
                eager
              />
            </div>
            <div className="grid content-start gap-6">
              <Head inscription={inscription} />
              <Trade inscription={inscription} />
              <Traits inscription={inscription} />
            </div>
          </div>
          <Offers inscription={inscription} />
          <div className="grid gap-8 lg:grid-cols-2">
            <Provenance inscription={inscription} />
            <Details inscription={inscription} />
          </div>
          <section className="grid gap-3">
            <h2 className="text-lg font-semibold">On this market</h2>
            <ActivityList about={{ inscriptionId: id }} />
          </section>
        </div>
      )}
    </Loaded>
  )
}

function Head({ inscription }: { inscription: Inscription }) {
  const { account } = useSession()
  const [collection] = inscription.collections
  return (
    <header>
      {collection && (
        <Link
          to="/collection/$slug"
          params={{ slug: collection.slug }}
          className="text-sm font-medium text-lamp hover:underline"
        >
          {collection.name} {collection.verificationStatus === 'verified' && <Verified />}
        </Link>
      )}
      <h1 className="text-2xl font-semibold sm:text-3xl">{inscription.name}</h1>
      <p className="mt-1 flex flex-wrap items-center gap-2 text-sm text-soft">
        {inscription.inscriptionNumber !== null && (
          <span>Inscription {count(inscription.inscriptionNumber)}</span>
        )}
        {inscription.cursed && <Badge>cursed</Badge>}
        {inscription.satributes.map((each) => (
          <Badge key={each} tone="lamp">
            {title(each)}
          </Badge>
        ))}
      </p>
      <p className="mt-2 text-sm">
        {inscription.owner ? (
          <>
            Held by{' '}
            <Link
              to="/address/$address"
              params={{ address: inscription.owner }}
              className="font-mono underline decoration-line hover:decoration-ink"
            >
              {shortAddress(inscription.owner)}
            </Link>
            {account?.ordinalsAddress === inscription.owner && (
              <>
                {' '}
                <Badge tone="good">you</Badge>
              </>
            )}
          </>
        ) : (
          'Held by nobody: its sat is lost or unbound.'
        )}
      </p>
    </header>
  )
}

function Trade({ inscription }: { inscription: Inscription }) {
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
  const isOwn = account?.ordinalsAddress === inscription.owner
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

function Traits({ inscription }: { inscription: Inscription }) {
  return inscription.collections
    .filter((collection) => collection.traits.length > 0)
    .map((collection) => (
      <section key={collection.slug}>
        <h2 className="mb-2 font-semibold">
          Traits{inscription.collections.length > 1 ? ` in ${collection.name}` : ''}
        </h2>
        <ul className="grid grid-cols-2 gap-2 sm:grid-cols-3">
          {collection.traits.map((trait) => (
            <li key={trait.type}>
              <Link
                to="/collection/$slug"
                params={{ slug: collection.slug }}
                search={{ traits: { [trait.type]: [trait.value] } }}
                className="panel block h-full p-3 hover:border-lamp"
              >
                <span className="block text-xs text-soft">{trait.type}</span>
                <span className="block text-sm font-medium">{trait.value}</span>
                <span className="block text-xs text-soft">
                  {((trait.count / Math.max(1, collection.itemCount)) * 100).toFixed(1)} % have it
                  {trait.floorSats !== null && (
                    <>
                      {' · from '}
                      <Price sats={trait.floorSats} />
                    </>
                  )}
                </span>
              </Link>
            </li>
          ))}
        </ul>
      </section>
    ))
}

function Offers({ inscription }: { inscription: Inscription }) {
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

function Provenance({ inscription }: { inscription: Inscription }) {
  const { moves, parents, children, childCount } = inscription
  return (
    <section className="grid content-start gap-3">
      <h2 className="text-lg font-semibold">Provenance</h2>
      {parents.length > 0 && (
        <p className="text-sm">
          Child of{' '}
          {parents.map((each) => (
            <Link
              key={each.inscriptionId}
              to="/inscription/$id"
              params={{ id: each.inscriptionId }}
              className="mr-2 underline"
            >
              inscription {each.inscriptionNumber}
            </Link>
          ))}
        </p>
      )}
      <ol className="panel divide-y divide-line text-sm">
        {moves.map((move) => (
          <li key={`${move.txid} ${move.height}`} className="flex flex-wrap gap-x-3 gap-y-1 px-4 py-2.5">
            <span className="w-24 text-soft">block {count(move.height)}</span>
            <span className="flex-1 font-mono text-xs leading-5">
              {move.fromAddress ? shortAddress(move.fromAddress) : '–'} →{' '}
              {move.toAddress ? shortAddress(move.toAddress) : 'nobody'}
            </span>
            {move.priceSats !== null && (
              <span>
                {move.external ? 'sold elsewhere for ' : 'sold for '}
                <Price sats={move.priceSats} />
              </span>
            )}
            <span className="text-soft">
              <Time at={move.at} />
            </span>
          </li>
        ))}
        <li className="flex gap-3 px-4 py-2.5">
          <span className="w-24 text-soft">block {count(inscription.genesisHeight)}</span>
          <span className="flex-1">inscribed</span>
          <span className="text-soft">{fullTime(inscription.inscribedAt)}</span>
        </li>
      </ol>
      {childCount > 0 && (
        <div>
          <h3 className="mb-2 font-medium">{count(childCount)} children</h3>
          <ul className="grid grid-cols-6 gap-2">
            {children.map((each) => (
              <li key={each.inscriptionId} className="overflow-hidden rounded">
                <Link
                  to="/inscription/$id"
                  params={{ id: each.inscriptionId }}
                  aria-label={`Inscription ${each.inscriptionNumber}`}
                >
                  <Media id={each.inscriptionId} contentType={each.contentType} name="" />
                </Link>
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  )
}

function Details({ inscription }: { inscription: Inscription }) {
  const { outpoint, satOffset } = inscription
  const rows: [string, React.ReactNode][] = [
    ['Id', inscription.inscriptionId],
    ['Content type', inscription.contentType ?? 'none'],
    ['Content', inscription.contentBytes === null ? 'none' : `${count(inscription.contentBytes)} bytes`],
    ['Sat', inscription.sat === null ? 'not known' : count(inscription.sat)],
    ['Satpoint', outpoint ? `${outpoint.txid}:${outpoint.vout}:${satOffset}` : 'none'],
    ['Postage', outpoint ? `${count(outpoint.valueSats)} sats` : 'none'],
    ...(inscription.delegateId
      ? ([['Shows the content of', inscription.delegateId]] as [string, string][])
      : []),
    ...(inscription.metaprotocol ? ([['Metaprotocol', inscription.metaprotocol]] as [string, string][]) : []),
  ]
  return (
    <section className="grid content-start gap-3">
      <h2 className="text-lg font-semibold">Details</h2>
      <dl className="panel grid gap-2 p-4 text-sm">
        {rows.map(([name, value]) => (
          <div key={name} className="grid gap-x-3 sm:grid-cols-[9rem_1fr]">
            <dt className="text-soft">{name}</dt>
            <dd className="font-mono text-xs leading-5 [overflow-wrap:anywhere]">{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
