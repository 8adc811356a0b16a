import { useAct } from '../act.tsx'
import type * as Trades from '../signing/trades.ts'
import { Button } from '../ui/basics.tsx'

/** The ways of an owner out of escrow, and the end of old prices on the chain. */
export function EscrowActions({
  inscriptionId,
  form,
}: {
  inscriptionId: string
  form: 'published' | 'wallet'
}) {
  const { run, busy } = useAct(inscriptionId)
  const escrows = [{ inscriptionIds: [inscriptionId] }]
  const act =
    (what: string, send: (trades: typeof Trades, trading: Trades.Trading) => Promise<string>, to: string) =>
    () =>
      void run(what, async (trades, trading) => `On its way to ${to} in ${await send(trades, trading)}.`)
  const takeBack = act('Taking it back', (trades, of) => trades.reclaimItems(of, escrows), 'your address')
  const leave = act('Leaving escrow', (trades, of) => trades.leaveEscrow(of, escrows), 'your address')
  const move = act('Moving to a new escrow', (trades, of) => trades.moveItems(of, escrows), 'a new escrow')
  return (
    <div className="grid gap-3 rounded-lg bg-tint p-3 text-sm">
      <p>
        It rests in escrow, and it is yours: it was sent there for a sale that did not follow. The market
        takes it back to you at its own cost.{' '}
        {form === 'wallet' && 'Without the market your wallet does that alone, at yours.'}
      </p>
      <div className="flex flex-wrap gap-2">
        <Button disabled={busy !== null} onClick={takeBack}>
          Take it back
        </Button>
        {form === 'wallet' && (
          <Button disabled={busy !== null} onClick={leave}>
            Leave escrow alone
          </Button>
        )}
      </div>
      <p>
        The market signs none of your old prices any more. To make them invalid for everyone, end them on the
        chain: the inscription moves to a new escrow, and you pay the network fee.
      </p>
      <Button className="justify-self-start" disabled={busy !== null} onClick={move}>
        End old prices on chain
      </Button>
    </div>
  )
}
