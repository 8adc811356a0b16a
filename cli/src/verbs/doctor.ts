import { examineWallet, FLOWS, type Flow, flowsBy } from '@ordbook/sdk/wallets'
import { Failure, UsageError } from '../failure.ts'
import { columns } from '../table.ts'
import type { Verb } from '../verb.ts'

export const doctor: Verb = {
  usage: 'wallet',
  summary: 'Test which trades the wallet can sign, without sending anything',
  options: {},
  async run(desk, args) {
    if (args.only('wallet') !== 'wallet') throw new UsageError('doctor: expected the argument wallet')
    const { wallet } = await desk.own()
    if (desk.flags.isDryRun)
      throw new Failure(
        'dry-run',
        'doctor has no dry run: it only signs test transactions that cannot be broadcast',
      )
    desk.out.note('requesting test signatures from the wallet')
    const kinds = await examineWallet(wallet)
    const flows = flowsBy(kinds)
    const rows = Object.entries(flows).map(([flow, reason]) => [
      FLOWS[flow as Flow].name,
      reason === null ? 'works' : `fails: ${reason}`,
    ])
    return { document: { kinds, flows }, text: columns(rows) }
  },
}
