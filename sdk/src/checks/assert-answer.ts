import { InvalidResponse } from '../errors.ts'
import type { Check } from './check.ts'

/** Throws InvalidResponse, with the path of the first invalid member, if the market's `what` does not match the contract. */
export function assertAnswer(check: Check, answer: unknown, what = 'response'): void {
  const fault = check(answer)
  if (fault === null) return
  const member = fault.startsWith('/') ? fault : `it${fault}`
  throw new InvalidResponse(`the market's ${what} does not match the contract: ${member}`)
}
