import { goTo } from '@ordbook/web-ui/routing/routing.tsx'
import { useAct } from '@ordbook/web-ui/signing/act.tsx'
import { portfolio as words } from '@ordbook/web-ui/strings/portfolio.ts'
import { listFieldsIn } from '@ordbook/web-ui/ticket/fields/fields.ts'
import { ticketActions, useTicket } from '@ordbook/web-ui/ticket/progress/tickets.ts'
import { Button, Price } from '@ordbook/web-ui/ui/basics.tsx'
import { NO_PRICES } from '../forms/priced.ts'
import type { Holding } from '../holdings/holdings.tsx'
import { MAX_GIVEN } from '../trade/most-given.ts'
import { LISTINGS } from './listing-rows.ts'

/** Fixed above the tab bar on phones and tablets, centered on wider screens. */
const BAR =
  'rise panel fixed inset-x-3 bottom-[calc(var(--tabs-height)+12px)] z-30 mx-auto flex w-fit max-w-[calc(100vw-24px)] items-center gap-2 overflow-x-auto px-3 py-2 shadow-floating *:shrink-0'

interface Props {
  picked: readonly Holding[]
  valueSats: number
  onDone: () => void
}

/** Actions on the selected inscriptions: list, delist or offer in a trade. */
export function HoldingBar({ picked, valueSats, onDone }: Props) {
  const { run, busy } = useAct('holdings')
  const fields = listFieldsIn(useTicket(LISTINGS)?.fields) ?? NO_PRICES
  const listed = picked.flatMap(({ inscriptionId, listingId, collectionSlug: slug }) =>
    listingId !== null && slug !== null ? [{ inscriptionId, listingId, slug }] : [],
  )
  const list = () => {
    ticketActions.edit(LISTINGS, { ...fields, chosen: picked.map(({ inscriptionId }) => inscriptionId) })
    const [slug, ...others] = new Set(picked.map(({ collectionSlug }) => collectionSlug))
    const ofOne = slug && others.length === 0 ? { collection: slug } : {}
    goTo({ to: '/wallet', search: { tab: 'listings', ...ofOne } })
  }
  const delist = () =>
    run(words.delisting(listed.length), async (trades, trading) => {
      await trades.delistItems(trading, listed)
      onDone()
      return words.delisted
    })
  const give = picked.map((each) => each.inscriptionId).join(',')
  return (
    <>
      <p className="sr-only" aria-live="polite">
        {picked.length > 0 && words.chosen(picked.length)}
      </p>
      {/* The progress strip replaces it while the action runs. */}
      {picked.length > 0 && busy === null && (
        <section aria-label={words.selection} data-selection-bar className={BAR}>
          <span className="text-small whitespace-nowrap">
            <span className="font-semibold">{words.chosen(picked.length)}</span>{' '}
            <Price sats={valueSats} className="text-soft max-sm:hidden" />
          </span>
          <Button kind="main" onClick={list}>
            {words.list(picked.length)}
          </Button>
          {listed.length > 0 && <Button onClick={() => void delist()}>{words.delist(listed.length)}</Button>}
          {picked.length <= MAX_GIVEN && (
            <Button onClick={() => goTo({ to: '/trades/new', search: { give } })}>{words.toTrade}</Button>
          )}
          <Button kind="ghost" onClick={onDone}>
            {words.clear}
          </Button>
        </section>
      )}
    </>
  )
}
