import { ERRORS } from '@ordbook/contract/errors.ts'
import { expect, it } from 'vitest'
import { networkRefusal } from './network-refusal.ts'

/** Reject reasons of Bitcoin Core and Knots. */
it.each([
  ['min relay fee not met, 17 < 330', 'fees-risen'],
  ['mempool min fee not met, 330 < 700', 'fees-risen'],
  ['mempool full', 'fees-risen'],
  ['bad-txns-inputs-missingorspent', 'coin-spent'],
  ['missing-inputs', 'coin-spent'],
  ['txn-mempool-conflict', 'coin-spent'],
  ['insufficient fee, rejecting replacement 0123; new feerate 1 <= old feerate 2', 'coin-spent'],
  ['bad-txns-spends-conflicting-tx', 'coin-spent'],
  ['too-long-mempool-chain, too many unconfirmed ancestors', 'coins-chain-too-long'],
  ['mandatory-script-verify-flag-failed (Invalid Schnorr signature)', 'network-refused'],
  ['dust', 'network-refused'],
  ['tx-size', 'network-refused'],
  ['non-final', 'network-refused'],
])('converts "%s" into %s', (reason, code) => {
  const fault = networkRefusal('this trade', reason)
  expect(fault.code).toBe(code)
  expect(fault.message).toContain(`The network rejected this trade (${reason})`)
  const isFinal = code === 'network-refused'
  expect(/Do not retry/.test(fault.message)).toBe(isFinal)
  expect(/Create it again/.test(fault.message)).toBe(!isFinal)
  if (isFinal) expect(ERRORS[fault.code].retryable).toBe(false)
})
