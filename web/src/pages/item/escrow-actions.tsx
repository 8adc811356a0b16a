import { useAct } from '@ordbook/web-ui/signing/act.tsx'
import type * as Trades from '@ordbook/web-ui/signing/trades.ts'
import { escrow as words } from '@ordbook/web-ui/strings/escrow.ts'
import { Button } from '@ordbook/web-ui/ui/basics.tsx'
import type { ReactNode } from 'react'

/** Escrow guarantee and the owner's ways to withdraw. */
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
    (
      what: string,
      send: (trades: typeof Trades, trading: Trades.Trading) => Promise<string>,
      sent: (txid: string) => string,
    ) =>
    () =>
      void run(what, async (trades, trading) => sent(await send(trades, trading)))
  const takeBack = act(words.takingBack, (trades, of) => trades.reclaimItems(of, escrows), words.sentHome)
  const leave = act(words.leaving, (trades, of) => trades.leaveEscrow(of, escrows), words.sentHome)
  const move = act(words.moving, (trades, of) => trades.moveItems(of, escrows), words.sentOn)
  return (
    <section aria-label={words.title} className="grid gap-3 rounded-lg bg-tint p-3 text-small">
      <h2 className="text-h3">{words.title}</h2>
      <p>{words.yours}</p>
      <dl className="grid gap-3">
        <Way name={words.sell} text={words.sellHow} />
        <Way name={words.takeBack} text={words.takeBackHow}>
          <Button disabled={busy !== null} onClick={takeBack}>
            {words.takeBack}
          </Button>
        </Way>
        {form === 'wallet' ? (
          <Way name={words.leave} text={words.leaveHow}>
            <Button disabled={busy !== null} onClick={leave}>
              {words.leave}
            </Button>
          </Way>
        ) : (
          <Way name={words.leave} text={words.leaveByKey} />
        )}
        <Way name={words.move} text={words.moveHow}>
          <Button disabled={busy !== null} onClick={move}>
            {words.move}
          </Button>
        </Way>
      </dl>
    </section>
  )
}

function Way({ name, text, children }: { name: string; text: string; children?: ReactNode }) {
  return (
    <div className="grid gap-1.5">
      <dt className={children ? 'sr-only' : 'font-semibold'}>{name}</dt>
      <dd className="grid justify-items-start gap-1.5">
        {children}
        {text}
      </dd>
    </div>
  )
}

export function ListingGuarantee() {
  return (
    <details className="rounded-lg bg-raised p-3 text-small">
      <summary className="min-h-6 font-[560]">{words.untilSold}</summary>
      <p className="mt-2 text-soft">{words.guarantee}</p>
    </details>
  )
}
