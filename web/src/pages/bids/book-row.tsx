import { Lanes } from './book-brackets.tsx'

/** A price of the book as a button, which buys up to this price or sells at it. The bar shows the cumulated items. */
export function BookRow({
  side,
  price,
  name,
  items,
  cumulatedItems,
  share,
  isOwn,
  ownText,
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
  /** Brackets that pass this row: true if the row is a member. */
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
        className="tabular relative grid h-7 w-full grid-cols-[1fr_auto_5rem] items-center gap-2 px-4 text-small hover:bg-raised pointer-coarse:h-11"
      >
        <span className="sr-only">{isOwn ? `${name}. ${ownText}` : name}</span>
        <span
          aria-hidden="true"
          className={`absolute inset-y-px right-0 ${bar}`}
          style={{ width: `${Math.max(2, Math.round(share * 100))}%` }}
        />
        <Lanes of={lanes} />
        <span
          aria-hidden="true"
          className={`relative flex items-center gap-1.5 text-left font-semibold ${ink}`}
        >
          {price}
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
