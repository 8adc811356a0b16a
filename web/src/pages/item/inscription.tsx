import { useRead } from '@ordbook/web-ui/api/client.ts'
import { count, shortAddress, title } from '@ordbook/web-ui/format/format.ts'
import { middle } from '@ordbook/web-ui/format/names.ts'
import { Link, useParams } from '@ordbook/web-ui/routing/routing.tsx'
import { useTitle } from '@ordbook/web-ui/routing/title.ts'
import { useSession } from '@ordbook/web-ui/session/session.tsx'
import { failed } from '@ordbook/web-ui/strings/errors.ts'
import { rank as rankWords, titles } from '@ordbook/web-ui/strings/pages.ts'
import { ItemProgress } from '@ordbook/web-ui/ticket/progress/progress.tsx'
import { Badge, BUTTON, KINDS, Loaded, Price } from '@ordbook/web-ui/ui/basics.tsx'
import { Boundary } from '@ordbook/web-ui/ui/boundary.tsx'
import { carriedText } from '@ordbook/web-ui/ui/carried.tsx'
import { CollectionName } from '@ordbook/web-ui/ui/collection-name.tsx'
import { LiveMedia } from '@ordbook/web-ui/ui/media/live-media.tsx'
import { Rank } from '@ordbook/web-ui/ui/rank.tsx'
import { AddressLink } from '../parts/links.tsx'
import { isMissing, Missing } from '../parts/missing.tsx'
import { InscriptionTrade } from './inscription-trade.tsx'
import { ItemTabs } from './item-tabs.tsx'
import { Neighbours } from './neighbours.tsx'
import { inscription as words } from './strings.ts'
import type { Inscription } from './traded.ts'

export default function InscriptionPage() {
  const { id } = useParams({ from: '/inscription/$id' })
  const found = useRead('getInscription', { params: { id } })
  if (found.data === undefined && isMissing(found.error))
    return (
      <Missing title={titles.missingItem} heading={words.missing}>
        <p className="text-soft">{words.missingWhy}</p>
        <Link to="/collections" className={`${BUTTON} ${KINDS.plain}`}>
          {failed.toCollections}
        </Link>
      </Missing>
    )
  return (
    <Loaded of={found} what="Loading the inscription">
      {(inscription) => <Shown key={id} inscription={inscription} />}
    </Loaded>
  )
}

/** Content on the left, trading on the right. */
function Shown({ inscription }: { inscription: Inscription }) {
  const { inscriptionId, name, contentType, collections } = inscription
  useTitle(titles.item(name, collections[0]?.name))
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-3">
      <Neighbours inscription={inscription} />
      <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-6 sm:grid-cols-[minmax(0,11fr)_minmax(0,9fr)] sm:grid-rows-[auto_1fr] lg:grid-cols-[minmax(0,1fr)_476px]">
        <div className="min-w-0 self-start overflow-hidden rounded-picture bg-raised lg:max-h-[min(660px,calc(100dvh-var(--bar-height)-48px))] lg:[&>*]:h-[min(660px,calc(100dvh-var(--bar-height)-48px))] lg:[&>*]:aspect-auto">
          <LiveMedia
            id={inscriptionId}
            contentType={contentType}
            name={name}
            hint={collections[0]?.imageRenderingHint ?? null}
          />
        </div>
        <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] content-start gap-5 sm:sticky sm:top-[calc(var(--bar-height)+20px)] sm:row-span-2 sm:self-start">
          <Head inscription={inscription} />
          <ItemProgress inscriptionId={inscriptionId} />
          <Boundary label={words.trade}>
            <InscriptionTrade inscription={inscription} />
          </Boundary>
          <AlsoInside inscriptionId={inscriptionId} />
          <Traits inscription={inscription} />
        </div>
        <ItemTabs inscription={inscription} />
      </div>
    </div>
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
          className="flex min-w-0 items-center gap-1 font-[560] text-accent hover:underline"
        >
          <CollectionName of={{ ...collection, collectionName: collection.name }} />
        </Link>
      )}
      <h1 dir="auto" title={inscription.name} className="text-h1">
        {middle(inscription.name, 120)}
      </h1>
      <p className="mt-1 flex flex-wrap items-center gap-2 text-sm text-soft">
        {inscription.inscriptionNumber !== null && (
          <span>Inscription {count(inscription.inscriptionNumber)}</span>
        )}
        {collection?.rank && (
          <span>
            <Rank rank={collection.rank} /> {words.rankOf(count(collection.itemCount))}
          </span>
        )}
        {inscription.cursed && <Badge>cursed</Badge>}
        {inscription.satributes.map((satribute) => (
          <Badge key={satribute} tone="lamp">
            {title(satribute)}
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
          words.noOwner
        )}
      </p>
    </header>
  )
}

/** Other contents of the coin, which move with the inscription. */
function AlsoInside({ inscriptionId }: { inscriptionId: string }) {
  const found = useRead('listCarries', { query: { inscriptionIds: inscriptionId } })
  const carries = (found.data?.carries ?? []).filter(({ kind }) => kind !== 'unproven')
  if (carries.length === 0) return null
  return (
    <section aria-label={words.also}>
      <h2 className="mb-2 font-semibold">{words.also}</h2>
      <ul className="flex flex-wrap gap-2">
        {carries.map((content) => (
          <li key={`${content.kind} ${content.name}`}>
            <Badge tone="lamp">{carriedText(content)}</Badge>
          </li>
        ))}
      </ul>
      <p className="mt-1 text-sm text-soft">{words.alsoWhy}</p>
    </section>
  )
}

function Traits({ inscription }: { inscription: Inscription }) {
  return inscription.collections
    .filter((collection) => collection.traits.length > 0)
    .map((collection) => (
      <section key={collection.slug}>
        <h2 className="mb-2 flex min-w-0 items-center gap-1.5 font-semibold">
          {words.traits}
          {inscription.collections.length > 1 && (
            <span className="flex min-w-0 items-center gap-1 text-small font-normal text-soft">
              <CollectionName of={{ ...collection, collectionName: collection.name }} />
            </span>
          )}
        </h2>
        <ul className="grid grid-cols-[repeat(2,minmax(0,1fr))] gap-2">
          {collection.traits.map((trait) => (
            <li key={trait.type}>
              <Link
                to="/collection/$slug"
                params={{ slug: collection.slug }}
                search={{ traits: { [trait.type]: [trait.value] } }}
                className="block h-full min-w-0 rounded-button border border-line bg-raised p-3 hover:border-accent"
              >
                <span dir="auto" className="block truncate text-caption text-soft">
                  {trait.type}
                </span>
                <span dir="auto" className="block truncate font-semibold" title={trait.value}>
                  {trait.value}
                </span>
                <span className="tabular block text-caption text-soft">
                  {((trait.count / Math.max(1, collection.itemCount)) * 100).toFixed(1)}%
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
        {collection.rank && <p className="mt-2 text-caption text-soft">{rankWords.formula}</p>}
      </section>
    ))
}
