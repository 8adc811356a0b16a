import type { Answer } from '@ordbook/sdk/operations.ts'
import { usePages } from '@ordbook/web-ui/api/client.ts'
import { Link } from '@ordbook/web-ui/routing/routing.tsx'
import { escrow as escrowWords } from '@ordbook/web-ui/strings/escrow.ts'
import { portfolio as words } from '@ordbook/web-ui/strings/portfolio.ts'
import { Badge, BUTTON, Empty, KINDS, Price, Time } from '@ordbook/web-ui/ui/basics.tsx'
import { CollectionName } from '@ordbook/web-ui/ui/collection-name.tsx'
import { LoadedList } from '@ordbook/web-ui/ui/loaded-list.tsx'
import { Media } from '@ordbook/web-ui/ui/media/media.tsx'
import { InscriptionLink } from '../parts/links.tsx'
import { WalletEscrows } from './wallet-escrows.tsx'

type Listing = Answer<'listOwnListings'>['listings'][number]

const TONES = {
  buyable: 'good',
  hidden_locked: 'lamp',
  pending_public: 'lamp',
  expired: 'soft',
  invalidated: 'soft',
} as const

export function PortfolioListings() {
  const found = usePages('listOwnListings', { query: {} })
  return (
    <div className="grid gap-8">
      <LoadedList
        of={found}
        rows={(page) => page.listings}
        what={words.loadingListings}
        empty={<Empty title={words.noListings}>{words.noListingsWhy}</Empty>}
      >
        {(listings) => (
          <ul aria-label={words.tabs.listings} className="panel divide-y divide-line">
            {listings.map((listing) => (
              <Line key={listing.listingId} listing={listing} />
            ))}
          </ul>
        )}
      </LoadedList>
      <section className="grid gap-3" aria-label={words.inEscrow}>
        <h2 className="text-h2">{words.inEscrow}</h2>
        <p className="max-w-prose text-soft">{escrowWords.guarantee}</p>
        <WalletEscrows />
      </section>
    </div>
  )
}

function Line({ listing }: { listing: Listing }) {
  const { inscriptionId, name, state, endedAt, expiresAt } = listing
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <span className="w-11 shrink-0 overflow-hidden rounded-control">
        <Media
          id={inscriptionId}
          contentType={listing.contentType}
          name=""
          hint={listing.imageRenderingHint}
        />
      </span>
      <span className="grid min-w-32 flex-1">
        <InscriptionLink id={inscriptionId} name={name} className="truncate font-[560] hover:underline" />
        <span className="flex items-center gap-1 text-caption text-soft">
          <CollectionName of={listing} />
        </span>
      </span>
      <span className="grid justify-items-end">
        <Price sats={listing.priceSats} className="font-semibold" />
        {listing.collectionFloorSats !== null && (
          <span className="text-caption text-soft">
            {words.floor} <Price sats={listing.collectionFloorSats} />
          </span>
        )}
      </span>
      <span className="grid min-w-28 justify-items-start">
        <Badge tone={TONES[state]}>{words.listingStates[state]}</Badge>
        <span className="text-caption text-soft">
          {endedAt ? (
            <>
              {words.endedAt} <Time at={endedAt} />
            </>
          ) : (
            expiresAt && (
              <>
                {words.ends} <Time at={expiresAt} until />
              </>
            )
          )}
        </span>
      </span>
      {state !== 'hidden_locked' && (
        <Link
          to="/inscription/$id"
          params={{ id: inscriptionId }}
          className={`${BUTTON} ${KINDS.plain} w-full sm:w-auto`}
        >
          {endedAt ? words.listAgain : words.editPrice}
          <span className="sr-only">: {name}</span>
        </Link>
      )}
    </li>
  )
}
