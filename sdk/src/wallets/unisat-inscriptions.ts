import { WalletRefused } from '../errors.ts'
import { listIn, objectIn, textIn } from './answers.ts'
import type { Provider } from './provider.ts'

const PAGE_SIZE = 100
const MAX_INSCRIPTIONS = 10_000

const OUTPOINT = /^[0-9a-f]{64}:\d{1,10}$/

/**
 * Returns the coins with inscriptions at an address: one inscription per `txid:vout`. Returns null if the wallet is on another account or
 * the list is incomplete. Throws WalletRefused.
 */
export async function listInscriptions(
  provider: Provider,
  address: string,
): Promise<ReadonlyMap<string, string> | null> {
  const isCurrent = async () => listIn(await provider.call('getAccounts'), 'the accounts')[0] === address
  if (!(await isCurrent())) return null
  const coins = new Map<string, string>()
  const ids = new Set<string>()
  for (let cursor = 0, first: number | null = null; cursor < MAX_INSCRIPTIONS; ) {
    const { total, list } = objectIn(
      await provider.call('getInscriptions', cursor, PAGE_SIZE),
      'the response to getInscriptions',
    )
    if (typeof total !== 'number')
      throw new WalletRefused('The wallet did not return the number of its inscriptions.')
    const rows = listIn(list, 'the inscriptions').map((row) => objectIn(row, 'an inscription'))
    for (const { inscriptionId, output } of rows) {
      const coin = textIn(output, 'the coin of an inscription')
      if (!OUTPOINT.test(coin)) throw new WalletRefused(`The wallet returned an invalid outpoint: ${coin}`)
      ids.add(textIn(inscriptionId, 'an inscription id'))
      coins.set(coin, textIn(inscriptionId, 'an inscription id'))
    }
    cursor += rows.length
    // If the list changes between pages, a row may be missing.
    first ??= total
    if (total !== first || (rows.length === 0 && cursor < total)) return null
    if (cursor >= total) return ids.size === total && (await isCurrent()) ? coins : null
  }
  return null
}
