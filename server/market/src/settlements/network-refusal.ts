import { conflict, type Fault } from '@ordbook/db/process/errors.ts'

/** Reject reasons of nodes that a new transaction can fix, with their error codes. */
const FIXABLE = [
  {
    reason: /(relay|mempool) (min )?fee not met|mempool full|min(imum)? fee/i,
    code: 'fees-risen',
    fix: 'Its fee is below the current minimum. Create it again with a new preflight.',
  },
  {
    reason:
      /missing-?inputs|missingorspent|conflict|rejecting replacement|replacement-|potential replacements/i,
    code: 'coin-spent',
    fix: 'Another transaction spends one of its coins. Create it again with unspent coins.',
  },
  {
    reason: /too-long-mempool-chain|too many (unconfirmed )?(ancestors|descendants)|package-mempool-limits/i,
    code: 'coins-chain-too-long',
    fix: 'Its coins depend on too many unconfirmed transactions. Create it again after the next block.',
  },
] as const

/** Returns the fault for a rejected transaction. `network-refused` is final. */
export function networkRefusal(what: string, reason: string): Fault {
  const fixable = FIXABLE.find((entry) => entry.reason.test(reason))
  return fixable
    ? conflict(fixable.code, `The network rejected ${what} (${reason}). ${fixable.fix}`)
    : conflict(
        'network-refused',
        `The network rejected ${what} (${reason}) and would reject it again. Do not retry.`,
      )
}
