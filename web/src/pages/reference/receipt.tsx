import { money, shortAddress } from '@ordbook/web-ui/format/format.ts'
import { useParams } from '@ordbook/web-ui/routing/routing.tsx'
import { useTitle } from '@ordbook/web-ui/routing/title.ts'
import { turn } from '@ordbook/web-ui/strings/inbox/inbox.ts'
import { items } from '@ordbook/web-ui/strings/pages.ts'
import { progress as words } from '@ordbook/web-ui/strings/progress.ts'
import { LINK, Share, TransactionLink, useSettlement } from '@ordbook/web-ui/ticket/progress/progress.tsx'
import { stepsOfSent } from '@ordbook/web-ui/ticket/progress/steps.ts'
import { Copyable, Loaded, Price, Time } from '@ordbook/web-ui/ui/basics.tsx'
import { Facts } from '@ordbook/web-ui/ui/facts.tsx'
import { Media } from '@ordbook/web-ui/ui/media/media.tsx'
import { Timeline } from '@ordbook/web-ui/ui/timeline.tsx'
import { InscriptionLink } from '../parts/links.tsx'
import { type Tone, TurnLine } from '../parts/turn-line.tsx'
import { useOwnSide } from './use-own-side.ts'

export default function ReceiptPage() {
  const { txid } = useParams({ from: '/receipt/$txid' })
  const found = useSettlement({ txid })
  return <Loaded of={found}>{(settlement) => <Receipt settlement={settlement} />}</Loaded>
}

type Settlement = NonNullable<ReturnType<typeof useSettlement>['data']>

const TONES: Record<Settlement['state'], Tone> = {
  sending: 'waiting',
  mempool: 'waiting',
  confirmed: 'done',
  failed: 'nothing',
}

function Receipt({ settlement }: { settlement: Settlement }) {
  const { txid, kind, items: all, sentAt, minedAt, state, hasReceipt } = settlement
  const [only, another] = all
  const title = words.receiptOf(
    only && !another ? only.name : items(all.length),
    only && !another && only.priceSats !== null ? money(only.priceSats) : null,
  )
  useTitle(title)
  const own = useOwnSide(settlement)
  const sides = own && words.sides[own.side]
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
        <TurnLine tone={TONES[state]}>{turn.receipt[state]}</TurnLine>
        <Timeline steps={stepsOfSent(settlement)} />
        <Facts
          row="flex justify-between gap-4"
          value="text-right"
          className="text-small"
          rows={[
            ...(own?.otherAddress ? [[sides!.other, shortAddress(own.otherAddress)] as const] : []),
            ...(own && own.totalSats !== null
              ? [[sides!.total, <Price key="total" sats={own.totalSats} />] as const]
              : []),
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
          {hasReceipt && (
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
