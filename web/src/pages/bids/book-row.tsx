import { book as words } from '@ordbook/web-ui/strings/collection.ts'
import { Lanes } from './book-brackets.tsx'

/** Price of the book as a button that trades at this price. The bar shows the cumulative items. */
export function BookRow({
  side,
  price,
  name,
  items,
  cumulatedItems,
  share,
  isOwn,
  ownText,
  scope = null,
  lanes = [],
  onPress,
}: {
  side: 'ask' | 'bid'
  price: string
  name: string
  items: string
  cumulatedItems: string
  share: number
  isOwn: boolean
  ownText: string
  /** Traits to which all offers at this price are limited. */
  scope?: string | null
  /** True for brackets of which the row is a member. */
  lanes?: readonly boolean[]
  /** Undefined if the visitor cannot trade at this price. */
  onPress: (() => void) | undefined
}) {
  const [bar, ink] = side === 'ask' ? ['bg-down-bg', 'text-down'] : ['bg-up-bg', 'text-up']
  return (
    <li>
      <button
        type="button"
        disabled={!onPress}
        onClick={onPress}
        className="tabular relative grid h-7 w-full grid-cols-[minmax(0,1fr)_auto_5rem] items-center gap-2 px-4 text-small hover:bg-raised pointer-coarse:h-11"
      >
        <span className="sr-only">
          {[scope === null ? name : `${name}, ${words.only(scope)}`, ...(isOwn ? [ownText] : [])].join('. ')}
        </span>
        <span
          aria-hidden="true"
          className={`absolute inset-y-px right-0 ${bar}`}
          style={{ width: `${Math.max(2, Math.round(share * 100))}%` }}
        />
        <Lanes of={lanes} />
        <span
          aria-hidden="true"
          className={`relative flex min-w-0 items-center gap-1.5 text-left font-semibold ${ink}`}
        >
          {price}
          {scope !== null && (
            <span dir="auto" className="truncate text-caption font-normal text-soft">
              {scope}
            </span>
          )}
          {isOwn && <span className="size-1.5 shrink-0 rounded-full bg-accent" />}
        </span>
        <span aria-hidden="true" className="relative">
          {items}
        </span>
        <span aria-hidden="true" className="relative text-right text-soft">
          {cumulatedItems}
        </span>
      </button>
    </li>
  )
}
