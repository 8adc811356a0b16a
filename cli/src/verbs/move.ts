import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { moveEscrows } from '@ordbook/sdk'
import { money } from '../amounts.ts'
import { escrowsOf } from '../escrows.ts'
import { UsageError } from '../failure.ts'
import { spendableCoins } from '../payment-coins.ts'
import { MAX_ITEMS, SPEND, SPEND_HELP, type Verb } from '../verb.ts'

const FORMS = ['wallet', 'published'] as const

export const move: Verb = {
  usage: 'ID... [--form wallet|published]',
  summary: 'Move inscriptions to new escrow coins, which makes all earlier prices invalid',
  details: `  --form FORM          Form of the new escrow coins: wallet or published (default: the form that the wallet can leave)
  --max-network AMOUNT Maximum network fee, which you pay
${SPEND_HELP}`,
  options: { form: { type: 'string' }, 'max-network': { type: 'string' }, ...SPEND },
  async run(desk, args) {
    const ids = args.ids()
    if (ids.length > MAX_ITEMS)
      throw new UsageError(`${ids.length} inscriptions: move at most ${MAX_ITEMS} at a time`)
    const formName = args.text('form')
    const escrowForm = FORMS.find((form) => form === formName)
    if (formName !== undefined && !escrowForm)
      throw new UsageError(`--form: found ${formName}, expected wallet or published`)
    const escrows = escrowsOf(await desk.items(ids))
    const trader = await desk.trader()
    const moved = await moveEscrows(trader, {
      escrows,
      ...(escrowForm ? { escrowForm } : {}),
      coins: await spendableCoins(desk, trader.walletBindingId, args.spend()),
      maxNetworkSats: args.amount('max-network') ?? desk.config.maxNetworkSats,
    })
    return {
      document: moved,
      text: [
        ...moved.escrows.map((escrow, n) => `moved ${ids[n]} to ${formatOutpoint(escrow)}`),
        `network fee ${money(moved.costSats)}`,
      ],
    }
  },
}
