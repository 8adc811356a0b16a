import { conflict, type Fault } from '@ordbook/db/process/errors.ts'

/** Node errors (Bitcoin Core's `reject-reason`) that a new preflight can fix, with their code. */
const MENDABLE = [
  {
    reason: /(relay|mempool) (min )?fee not met|mempool full|min(imum)? fee/i,
    code: 'fees-risen',
    mend: 'it pays less than the network takes now. Prepare it again',
  },
  {
    reason:
      /missing-?inputs|missingorspent|conflict|rejecting replacement|replacement-|potential replacements/i,
    code: 'coin-spent',
    mend: 'another transaction spends a coin of it. Read what you trade again, and prepare it with coins that are not spent',
  },
  {
    reason: /too-long-mempool-chain|too many (unconfirmed )?(ancestors|descendants)|package-mempool-limits/i,
    code: 'coins-chain-too-long',
    mend: 'its coins wait on too many unconfirmed transactions. Wait for the next block, and prepare it again',
  },
] as const

/** The fault for a transaction that the network rejects for `reason`: `network-refused` if repeating cannot help. */
export function networkRefusal(what: string, reason: string): Fault {
  const found = MENDABLE.find((each) => each.reason.test(reason))
  return found
    ? conflict(found.code, `The network refuses ${what} (${reason}): ${found.mend}`)
    : conflict(
        'network-refused',
        `The network refuses ${what} (${reason}), and would refuse it again: do not repeat it`,
      )
}
