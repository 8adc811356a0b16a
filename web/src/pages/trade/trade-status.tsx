import { Link } from '@ordbook/web-ui/routing/routing.tsx'
import { turn as words } from '@ordbook/web-ui/strings/inbox.ts'
import { BUTTON, KINDS } from '@ordbook/web-ui/ui/basics.tsx'
import { TurnLine } from '../parts/turn-line.tsx'
import type { TradeTurn } from './trade-turn.ts'

export function TradeStatus({ turn: { tone, text, until, note, receiptTxid } }: { turn: TradeTurn }) {
  return (
    <div className="grid gap-2">
      <TurnLine tone={tone} until={until} note={note}>
        {text}
      </TurnLine>
      {receiptTxid && (
        <Link
          to="/receipt/$txid"
          params={{ txid: receiptTxid }}
          className={`${BUTTON} ${KINDS.plain} justify-self-start`}
        >
          {words.receipt}
        </Link>
      )}
    </div>
  )
}
