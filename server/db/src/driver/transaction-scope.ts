import { AsyncLocalStorage } from 'node:async_hooks'

/** A transaction, as the code that runs in it sees it. */
interface Scope {
  isOpen: boolean
  /** Whether the transaction may wait for signer and guardian. */
  maySign: boolean
}

const scopes = new AsyncLocalStorage<Scope>()
const isTest = process.env.VITEST !== undefined

/** Runs `work` as the content of a transaction. Scopes exist in tests alone. */
export async function inScope<T>(work: () => Promise<T>): Promise<T> {
  if (!isTest) return work()
  const outer = scopes.getStore()
  const scope: Scope = { isOpen: true, maySign: outer !== undefined && !outer.isOpen && outer.maySign }
  try {
    return await scopes.run(scope, work)
  } finally {
    scope.isOpen = false
  }
}

/** Lets the transactions of `work` wait for signer and guardian. */
export const allowSigning = <T>(work: () => Promise<T>): Promise<T> =>
  scopes.run({ isOpen: false, maySign: true }, work)

/**
 * Throws in tests if the caller is in a transaction. Remote calls can take longer than the idle timeout, and the transaction holds its
 * locks in the meantime. Call first, then open the transaction and compare what was read.
 */
export function assertNoTransaction(callee: 'node' | 'ord' | 'signer' | 'guardian'): void {
  if (!isTest) return
  const scope = scopes.getStore()
  const isKey = callee === 'signer' || callee === 'guardian'
  if (scope?.isOpen && !(isKey && scope.maySign)) throw new Error(`a transaction waits for the ${callee}`)
}
