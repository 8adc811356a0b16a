import { count } from '@ordbook/web-ui/format/format.ts'
import { portfolio as words } from '@ordbook/web-ui/strings/portfolio.ts'
import { CollectionName } from '@ordbook/web-ui/ui/collection-name.tsx'

const CHIP =
  'inline-flex min-h-8 max-w-60 shrink-0 items-center gap-2 rounded-control border border-line px-3 text-small hover:border-edge aria-pressed:border-accent aria-pressed:bg-tint'

/** Chips that filter holdings by collection. Pressing the active chip clears the filter. */
export function CollectionChips({
  holdings,
  chosen,
  onChoose,
}: {
  holdings: readonly (Parameters<typeof CollectionName>[0]['of'] & { collectionSlug: string | null })[]
  chosen: string | undefined
  onChoose: (slug: string | undefined) => void
}) {
  const named = holdings.filter((holding) => holding.collectionSlug !== null)
  const collections = [...Map.groupBy(named, (each) => each.collectionSlug!)].toSorted(
    ([, a], [, b]) => b.length - a.length,
  )
  return (
    <fieldset className="flex min-w-0 gap-2 overflow-x-auto p-0.5">
      <legend className="sr-only">{words.collections}</legend>
      <button
        type="button"
        aria-pressed={chosen === undefined}
        onClick={() => onChoose(undefined)}
        className={CHIP}
      >
        {words.all} <span className="tabular text-soft">{count(holdings.length)}</span>
      </button>
      {collections.map(([slug, items]) => (
        <button
          key={slug}
          type="button"
          aria-pressed={chosen === slug}
          onClick={() => onChoose(chosen === slug ? undefined : slug)}
          className={CHIP}
        >
          <CollectionName of={items[0]!} />
          <span className="tabular text-soft">{count(items.length)}</span>
        </button>
      ))}
    </fieldset>
  )
}
