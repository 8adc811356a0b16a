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
