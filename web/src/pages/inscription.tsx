import type { Answer } from '@ordbook/sdk/operations.ts'
import { Link, useParams } from '@tanstack/react-router'
import { useRead } from '../client.ts'
import { count, shortAddress, title } from '../format.ts'
import { useSession } from '../session.tsx'
import { Badge, Loaded, Price } from '../ui/basics.tsx'
import { carriedText } from '../ui/carried.tsx'
import { Media } from '../ui/media.tsx'
import { ActivityList } from './activity-list.tsx'
import { Verified } from './home.tsx'
import { InscriptionOffers } from './inscription-offers.tsx'
import { InscriptionTrade } from './inscription-trade.tsx'
import { AddressLink } from './links.tsx'
import { Details, Provenance } from './provenance.tsx'

type Inscription = Answer<'getInscription'>

/** The page of an inscription: its content, provenance and offers. */
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
              <InscriptionTrade inscription={inscription} />
              <AlsoInside inscriptionId={id} />
              <Traits inscription={inscription} />
            </div>
          </div>
          <InscriptionOffers inscription={inscription} />
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
            <AddressLink
              address={inscription.owner}
              className="font-mono underline decoration-line hover:decoration-ink"
            />
            {inscription.escrow && <Badge>escrow of {shortAddress(inscription.escrow.owner)}</Badge>}
            {account?.ordinalsAddress === (inscription.escrow?.owner ?? inscription.owner) && (
              <>
                {' '}
                <Badge tone="good">you</Badge>
              </>
            )}
          </>
        ) : (
          'No owner: its sat is lost or unbound.'
        )}
      </p>
    </header>
  )
}

/** The other contents of the inscription's coin, which go with it in every sale. */
function AlsoInside({ inscriptionId }: { inscriptionId: string }) {
  const found = useRead('listCarries', { query: { inscriptionIds: inscriptionId } })
  const carries = found.data?.carries ?? []
  if (carries.length === 0) return null
  return (
    <section aria-label="Also in its coin">
      <h2 className="mb-2 font-semibold">Also in its coin</h2>
      <ul className="flex flex-wrap gap-2">
        {carries.map((each) => (
          <li key={`${each.kind} ${each.name}`}>
            <Badge tone="lamp">{carriedText(each)}</Badge>
          </li>
        ))}
      </ul>
      <p className="mt-1 text-sm text-soft">It goes with the inscription to a buyer.</p>
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
