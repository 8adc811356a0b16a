import { portfolio as words } from '@ordbook/web-ui/strings/portfolio.ts'
import { Acceptances, Proposals } from '../trade/trades.tsx'

export function OwnTrades() {
  return (
    <div className="grid gap-8">
      <section className="grid gap-3">
        <h2 className="text-h2">{words.toComplete}</h2>
        <Acceptances view="received" />
      </section>
      <section className="grid gap-3">
        <h2 className="text-h2">{words.myProposals}</h2>
        <Proposals of="listOwnProposals" none={words.noProposals} />
      </section>
      <section className="grid gap-3">
        <h2 className="text-h2">{words.acceptedByMe}</h2>
        <Acceptances view="sent" />
      </section>
    </div>
  )
}
