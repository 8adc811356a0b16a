import type { Answer } from '@ordbook/sdk/operations.ts'
import { Link } from '@tanstack/react-router'
import { useCart } from '../cart.tsx'
import { title } from '../format.ts'
import { useSession } from '../session.tsx'
import { Badge, Price } from '../ui/basics.tsx'
import { CheckIcon } from '../ui/icons.tsx'
import { Media } from '../ui/media.tsx'

export type Item = Answer<'browseItems'>['items'][number]

/** The cart line of an item; null while it is not for sale. */
export const lineOf = (item: Item) =>
  item.listingState === 'buyable' && item.listingId && item.priceSats
    ? {
        inscriptionId: item.inscriptionId,
        listingId: item.listingId,
        slug: item.collection,
        name: item.name,
        priceSats: item.priceSats,
        contentType: item.rawContentType,
      }
    : null

/** False until the index has seen the inscription: the number 0 stands in for the one that it will have. */
const isSeen = (item: Item) => item.inscription !== 0 || item.locationSatpoint !== null

/** An item of a collection in a grid. */
export function ItemCard({ item }: { item: Item }) {
  const cart = useCart()
  const { account } = useSession()
  const line = lineOf(item)
  const inCart = cart.has(item.inscriptionId)
  const isOwn = account?.ordinalsAddress === item.owner
  return (
    <article className="panel group relative overflow-hidden">
      <Link to="/inscription/$id" params={{ id: item.inscriptionId }} className="block">
        <Media
          id={item.inscriptionId}
          contentType={item.rawContentType}
          name=""
          hint={item.imageRenderingHint}
          background={item.cardBackgroundColor}
        />
        <span className="block p-3">
          <span className="block truncate text-sm font-medium" dir="auto">
            {item.name}
          </span>
          <span className="mt-0.5 flex items-baseline justify-between gap-2 text-sm">
            {item.priceSats ? <Price sats={item.priceSats} /> : <span className="text-soft">Not listed</span>}
            <span className="text-xs text-soft">
              {isSeen(item) ? `#${item.inscription}` : 'Not indexed yet'}
            </span>
          </span>
        </span>
      </Link>
      <div className="absolute top-2 left-2 flex flex-wrap gap-1">
        {item.satributes.slice(0, 2).map((each) => (
          <Badge key={each} tone="lamp">
            {title(each)}
          </Badge>
        ))}
        {isOwn && <Badge tone="good">yours</Badge>}
        {item.listingState === 'hidden_locked' && <Badge>being traded</Badge>}
        {item.listingState === 'pending_public' && <Badge>Confirming</Badge>}
      </div>
      {line && !isOwn && (
        <div className="px-3 pb-3">
          <button
            type="button"
            aria-pressed={inCart}
            onClick={() => cart.toggle(line)}
            className={`flex min-h-9 w-full items-center justify-center gap-1.5 rounded-lg text-sm font-medium ${inCart ? 'bg-lamp text-lamp-ink' : 'border border-edge hover:bg-sunk'}`}
          >
            {inCart ? (
              <>
                <CheckIcon /> In the cart
              </>
            ) : (
              'Add to cart'
            )}
            <span className="sr-only">: {item.name}</span>
          </button>
        </div>
      )}
    </article>
  )
}
