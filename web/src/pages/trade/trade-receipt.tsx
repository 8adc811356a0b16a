import type { Answer } from '@ordbook/sdk/operations.ts'
import { count } from '@ordbook/web-ui/format/format.ts'
import { Link } from '@ordbook/web-ui/routing/routing.tsx'
import { progress } from '@ordbook/web-ui/strings/progress.ts'
import { swap as words } from '@ordbook/web-ui/strings/swap.ts'
import { TransactionLink } from '@ordbook/web-ui/ticket/progress/progress.tsx'
import { BUTTON, Copyable, KINDS, Price, Time } from '@ordbook/web-ui/ui/basics.tsx'
import { Facts } from '@ordbook/web-ui/ui/facts.tsx'
import { CheckIcon, ClockIcon, SwapIcon } from '@ordbook/web-ui/ui/icons.tsx'
import type { Sides } from './boards/board.ts'
import { SmallTiles } from './boards/trade-board.tsx'
import type { Stage } from './trade-turn.ts'

/** The transaction of a trade that both sides have signed. `netSats`: BTC that the viewer receives; negative if paid. */
export function TradeReceipt({
  stage,
  txid,
  settlement,
  sides,
  netSats,
}: {
  stage: Stage
  txid: string
  settlement: Answer<'getSettlement'> | undefined
  sides: Sides
  netSats: number
}) {
  const isDone = stage === 'confirmed'
  const { blockHeight = null, confirmations = 0, minedAt = null } = settlement ?? {}
  const Icon = isDone ? CheckIcon : ClockIcon
  return (
    <section aria-label={words.receipt} className="panel flex flex-wrap items-stretch overflow-hidden">
      <div className="grid w-full content-center justify-items-center gap-1 bg-raised p-4 text-center sm:w-36">
        <Icon className={`text-2xl ${isDone ? 'text-up' : 'text-soft'}`} />
        <h2 className="text-h3">
          {isDone ? words.done : stage === 'mempool' ? words.underway : words.onItsWay}
        </h2>
        {minedAt && (
          <span className="text-caption text-soft">
            <Time at={minedAt} />
          </span>
        )}
      </div>
      <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-6 gap-y-3 p-4">
        <div className="flex flex-wrap items-center gap-2">
          <SmallTiles board={sides.gives} />
          <SwapIcon className="text-xl text-soft" />
          <SmallTiles board={sides.gets} />
        </div>
        <Facts
          row="grid content-start"
          value="font-semibold"
          className="!flex flex-wrap !gap-x-6 text-small"
          rows={[
            [
              words.transaction,
              <Copyable
                key="transaction"
                text={txid}
                shown={`${txid.slice(0, 6)}…${txid.slice(-6)}`}
                what={progress.transaction}
              />,
            ],
            [
              words.block,
              blockHeight === null
                ? words.inMempool
                : `${count(blockHeight)}, ${progress.confirmations(confirmations)}`,
            ],
            ...(netSats === 0
              ? []
              : [
                  [
                    netSats > 0 ? words.btcReceived : words.btcPaid,
                    <Price key="net" sats={Math.abs(netSats)} />,
                  ] as const,
                ]),
          ]}
        />
        <div className="flex flex-wrap items-center gap-2 lg:ml-auto">
          <TransactionLink txid={txid} />
          <Link to="/receipt/$txid" params={{ txid }} className={`${BUTTON} ${KINDS.plain}`}>
            {words.viewReceipt}
          </Link>
        </div>
      </div>
    </section>
  )
}
