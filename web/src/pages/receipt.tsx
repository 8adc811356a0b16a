import { money } from '../format.ts'
import { useParams } from '../routing/routing.tsx'
import { LINK, Share, TransactionLink, useSettlement } from '../ticket/progress.tsx'
import { stepsOfSent } from '../ticket/steps.ts'
import { useTitle } from '../title.ts'
import { Copyable, Loaded, Price, Time } from '../ui/basics.tsx'
import { Facts } from '../ui/facts.tsx'
import { Media } from '../ui/media.tsx'
import { Timeline } from '../ui/timeline.tsx'
import { items } from '../words/pages.ts'
import { progress as words } from '../words/progress.ts'
import { InscriptionLink } from './links.tsx'

/** The proof of a trade that this market completed: its items and prices, its block, and where to check them. */
export default function ReceiptPage() {
  const { txid } = useParams({ from: '/receipt/$txid' })
  const found = useSettlement({ txid })
  return <Loaded of={found}>{(settlement) => <Receipt settlement={settlement} />}</Loaded>
}

type Settlement = NonNullable<ReturnType<typeof useSettlement>['data']>

function Receipt({ settlement }: { settlement: Settlement }) {
  const { txid, kind, items: all, sentAt, minedAt } = settlement
  const [only, another] = all
  const title = words.receiptOf(
    only && !another ? only.name : items(all.length),
    only && !another && only.priceSats !== null ? money(only.priceSats) : null,
  )
  useTitle(title)
  return (
    <article className="mx-auto grid w-full max-w-[640px] gap-5">
      <h1 dir="auto" className="text-h1 [overflow-wrap:anywhere]">
        {title}
      </h1>
      <ul className="panel divide-y divide-line">
        {all.map(({ inscriptionId, name, contentType, priceSats }) => (
          <li key={inscriptionId} className="flex items-center gap-4 p-4">
            <span className="w-16 shrink-0 overflow-hidden rounded-control">
              <Media id={inscriptionId} contentType={contentType} name="" />
            </span>
            <InscriptionLink
              id={inscriptionId}
              name={name}
              className="min-w-0 flex-1 font-[560] hover:underline [overflow-wrap:anywhere]"
            />
            {priceSats !== null && <Price sats={priceSats} className="text-price" />}
          </li>
        ))}
      </ul>
      <section aria-label={words.title} className="panel grid gap-4 p-4">
        <Timeline steps={stepsOfSent(settlement)} />
        <Facts
          row="flex justify-between gap-4"
          value="text-right"
          className="text-small"
          rows={[
            [words.kind, words.kinds[kind]],
            [words.sentAt, <Time key="sent" at={sentAt} />],
            ...(minedAt === null ? [] : [[words.minedAt, <Time key="mined" at={minedAt} />] as const]),
            [
              words.transaction,
              <Copyable
                key="transaction"
                text={txid}
                shown={`${txid.slice(0, 6)}…${txid.slice(-6)}`}
                what={words.transaction}
              />,
            ],
          ]}
        />
        <div className="flex flex-wrap items-center gap-2">
          <TransactionLink txid={txid} />
          {kind === 'purchase' && (
            <a href={`/receipts/${txid}`} className={LINK}>
              {words.proof}
            </a>
          )}
          <Share text={title} path={`/receipt/${txid}`} />
        </div>
      </section>
    </article>
  )
}
