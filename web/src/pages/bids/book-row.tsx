import { Lanes } from './book-brackets.tsx'

/** One price of a book: a button whose bar shows the items up to it. Press it to buy up to it, or to sell at it. */
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
  /** The row in a sentence, for screen readers. */
  name: string
  items: string
  cumulatedItems: string
  /** Of the longest bar. */
  share: number
  isOwn: boolean
  ownText: string
  /** The brackets that pass by this row, and whether each holds it. */
  lanes?: readonly boolean[]
  /** Absent where nothing at this price can be traded by the visitor. */
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
